#include "tools/command/conform_results.h"

#include <fmt/core.h>

#include <boost/filesystem.hpp>

#include "conformance/report/json_lines.h"
#include "conformance/report/render.h"
#include "conformance/runner/merge.h"
#include "conformance/runner/session.h"
#include "core/base/files.h"
#include "tools/command/terminal.h"

namespace bp::command {
namespace {

namespace po = boost::program_options;

std::string paint_word(conformance::CaseStatus status) {
  return paint(conformance::is_unexpected(status) ? Colour::Red : Colour::Green, conformance::to_string(status));
}

// The results may be in a folder, together with logs and other files.
std::string results_in(const std::string &package) {
  boost::system::error_code problem;
  return boost::filesystem::is_directory(package, problem) ? package + "/results.jsonl" : package;
}

}  // namespace

void add_renderings(Options &options) {
  options.add()("html", po::value<std::string>(), "file for a page that shows the results")(
      "junit", po::value<std::string>(), "file for JUnit's XML");
}

int show_results(const Options &options, const conformance::Report &results) {
  fmt::print("{}", conformance::to_text(results, paint_word));
  using Render = std::string (*)(const conformance::Report &);
  for (const auto &[option, render] : {std::pair<const char *, Render>{"html", conformance::to_html},
                                       std::pair<const char *, Render>{"junit", conformance::to_junit}}) {
    if (options.has(option)) {
      if (Status written = write_file(options.get<std::string>(option), render(results)); !written.ok()) {
        return report(written.error());
      }
    }
  }
  return results.totals && results.totals->unexpected() == 0 ? success : negative;
}

int report_results(std::span<const std::string> arguments) {
  Options options(
      "conform report FILE... [options]",
      "Shows results of `backplane conform -o FILE` once more, and puts the shards of one run together: of the same\n"
      "plugin, version of Backplane and options, each shard there, no case with two outcomes. Nothing is run.",
      "  backplane conform report acme.jsonl --html acme.html\n"
      "  backplane conform acme --shard 1/2 -o shard_1.jsonl        on one machine\n"
      "  backplane conform acme --shard 2/2 -o shard_2.jsonl        on another\n"
      "  backplane conform report shard_1.jsonl shard_2.jsonl -o acme.jsonl --html acme.html --junit acme.xml\n");
  options.add_positional("files", -1);
  options.add()("output,o", po::value<std::string>(), "file for the results put together, as JSON lines");
  add_renderings(options);
  if (auto exit = options.parse(arguments)) {
    return *exit;
  }
  if (!options.has("files")) {
    return options.misuse("no file with results was given");
  }
  std::vector<conformance::Part> parts;
  for (const std::string &package : options.get<std::vector<std::string>>("files")) {
    const std::string file = results_in(package);
    auto results = conformance::read_report(file);
    if (!results.ok()) {
      return report(results.error());
    }
    parts.push_back({file, std::move(results).value()});
  }
  const auto merged = conformance::merge(std::move(parts));
  if (!merged.ok()) {
    return report(merged.error());
  }
  if (options.has("output")) {
    const Status written = write_file(options.get<std::string>("output"), conformance::to_json_lines(*merged));
    if (!written.ok()) {
      return report(written.error());
    }
  }
  return show_results(options, *merged);
}

int verify_results(std::span<const std::string> arguments) {
  Options options("conform verify FILE [options]",
                  "What results of `backplane conform -o FILE` are worth: their hashes hold, the plugin is the file "
                  "they speak of,\n"
                  "and some of the cases, run again, give what they gave.",
                  "  backplane conform verify acme.jsonl\n"
                  "  backplane conform verify acme.jsonl --sample 100 --seed 7\n");
  options.add_positional("file", 1);
  options.add()("sample", po::value<std::size_t>()->default_value(20), "how many cases are run again")(
      "seed", po::value<std::uint64_t>()->default_value(0), "which ones")(
      "jobs", po::value<int>()->default_value(0), "workers at the same time; 0: one per processor")(
      "deadline", po::value<double>()->default_value(1), "multiplies the time that a case has")(
      "expectations", po::value<std::string>()->default_value(""),
      "file with expectations; default: the one next to the plugin")(
      "model", po::value<std::vector<std::string>>()->composing(),
      "the present path of a model file; default: the path in the report");
  if (auto exit = options.parse(arguments)) {
    return *exit;
  }
  if (!options.has("file")) {
    return options.misuse("no file with results was given");
  }
  conformance::Session session;
  session.program = this_program;
  session.jobs = options.get<int>("jobs");
  session.deadline_scale = options.get<double>("deadline");
  session.expectations_file = options.get<std::string>("expectations");
  if (session.jobs < 0 || !(session.deadline_scale > 0)) {
    return options.misuse("--jobs must be at least 0, --deadline positive");
  }
  if (options.has("model")) {
    session.choice.models = options.get<std::vector<std::string>>("model");
  }
  const std::string file = results_in(options.get<std::string>("file"));
  const auto verified = conformance::verify_report(file, options.get<std::size_t>("sample"),
                                                   options.get<std::uint64_t>("seed"), std::move(session));
  if (!verified.ok()) {
    return report(verified.error());
  }
  for (const std::string &difference : verified->differences) {
    fmt::print("{}\n", difference);
  }
  const conformance::Header &header = verified->report.header;
  fmt::print("{}: {} {}, {} cases of {}; hashes hold; {} run again, {} differ\n", file, header.device, header.version,
             verified->report.records.size(), header.plugin, verified->rerun, verified->differences.size());
  return verified->differences.empty() ? success : negative;
}

}  // namespace bp::command
