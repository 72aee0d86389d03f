#include "tools/command/conform_results.h"

#include <fmt/core.h>

#include <boost/filesystem.hpp>
#include <limits>

#include "conformance/report/json_lines.h"
#include "conformance/report/render.h"
#include "conformance/runner/certificate.h"
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

// Chooses the plugin that results are about. A path that was given by the user is taken as it is; one from the results
// was written by whoever made them, and must not be replaceable by others.
std::optional<Error> choose_plugin(const Options &options, const std::string &file, std::string &plugin) {
  if (options.has("plugin")) {
    plugin = options.get<std::string>("plugin");
    plugin = plugin.find('/') == std::string::npos ? "./" + plugin : plugin;
    return std::nullopt;
  }
  const auto results = conformance::read_report(file);
  if (!results.ok()) {
    return results.error();
  }
  const boost::filesystem::path named = results->header.plugin;
  if (results->header.plugin == "interpreter") {
    return std::nullopt;
  }
  boost::system::error_code problem;
  const boost::filesystem::path parent = boost::filesystem::path(file).parent_path();
  const boost::filesystem::path next = (parent.empty() ? "." : parent) / named.filename();
  plugin = (boost::filesystem::exists(next, problem) ? next : named).string();
  const host::Candidate candidate = host::examine(plugin, host::TrustPolicy::Refuse);
  return candidate.distrust ? std::optional(Error(*candidate.distrust).note("--plugin PATH verifies it all the same"))
                            : std::nullopt;
}

// Remembers that the report was verified. If that is impossible, the verification is worth the same.
void remember(const std::string &file, const conformance::Verified &verified) {
  const auto stamp = conformance::write_stamp(file, verified);
  fmt::print(stderr, "{}", stamp.ok() ? "" : fmt::format("backplane: not remembered: {}\n", stamp.error().to_string()));
}

}  // namespace

void add_renderings(Options &options) {
  options.add()("html", po::value<std::string>(), "file for an HTML page with the results")(
      "junit", po::value<std::string>(), "file for the results as JUnit XML");
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
      "Shows the results of `backplane conform -o FILE` again, without running a case, and combines the shards of one\n"
      "run. The shards must be complete, must have the same plugin, options and version of Backplane, and no case may\n"
      "have two outcomes.",
      "  backplane conform report acme.jsonl --html acme.html\n"
      "  backplane conform acme --shard 1/2 -o shard_1.jsonl        on one machine\n"
      "  backplane conform acme --shard 2/2 -o shard_2.jsonl        on another\n"
      "  backplane conform report shard_1.jsonl shard_2.jsonl -o acme.jsonl --html acme.html --junit acme.xml\n");
  options.add_positional("files", -1);
  options.add()("output,o", po::value<std::string>(), "file for the combined results, as JSON lines");
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
  Options options(
      "conform verify FILE [options]",
      "Verifies the results of `backplane conform -o FILE`: the hashes are correct, the plugin is the file\n"
      "that was tested, no case is missing, and a sample of them has the same results when it is run again.\n"
      "The seed of the sample should be one that whoever made the results could not know. If all is well, a file in\n"
      "the user's cache remembers it, and `backplane plugins` says on which date the plugin was checked.",
      "  backplane conform verify acme.jsonl\n"
      "  backplane conform verify acme.jsonl --sample 100 --seed 7\n"
      "  backplane conform verify acme.jsonl --plugin ./libbackplane_acme.so\n"
      "  backplane conform verify acme.jsonl --all\n");
  options.add_positional("file", 1);
  options.add()("plugin", po::value<std::string>(),
                "the plugin's file; default: that of its name next to the results, or the path in the results")(
      "sample", po::value<std::size_t>()->default_value(20), "number of cases to run again")(
      "all", "run all of them again")("seed", po::value<std::uint64_t>()->default_value(0),
                                      "seed that chooses these cases")(
      "jobs", po::value<int>()->default_value(0), "number of worker processes; 0: one per processor")(
      "deadline", po::value<double>()->default_value(1), "factor by which the time limits of all cases are multiplied")(
      "expectations", po::value<std::string>()->default_value(""),
      "file with expectations; default: the one next to the plugin")(
      "model", po::value<std::vector<std::string>>()->composing(),
      "the current path of a model file; default: the path in the report");
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
  if (auto problem = choose_plugin(options, file, session.choice.name)) {
    return report(*problem);
  }
  const std::size_t sample =
      options.has("all") ? std::numeric_limits<std::size_t>::max() : options.get<std::size_t>("sample");
  const auto verified =
      conformance::verify_report(file, sample, options.get<std::uint64_t>("seed"), std::move(session));
  if (!verified.ok()) {
    return report(verified.error());
  }
  for (const std::string &difference : verified->differences) {
    fmt::print("{}\n", difference);
  }
  const conformance::Header &header = verified->report.header;
  if (!header.selection.empty() || !header.shard.empty()) {
    fmt::print("{}: a part of the suite only: {}{}{}\n", file, header.selection,
               header.shard.empty() ? "" : " --shard ", header.shard);
  }
  if (verified->differences.empty() && verified->rerun != 0 && header.plugin != "interpreter") {
    remember(file, *verified);
  }
  fmt::print("{}: {} {}, {} cases of {}; the hashes are correct; {} run again, {} differ\n", file, header.device,
             header.version, verified->report.records.size(), header.plugin, verified->rerun,
             verified->differences.size());
  return verified->differences.empty() ? success : negative;
}

int attach_results(std::span<const std::string> arguments) {
  Options options(
      "conform attach FILE PLUGIN.so",
      "Writes the hash of complete results, in which nothing is unexpected, into the manifest of the plugin that they\n"
      "are about. The manifest must name the file, with 64 zeros in place of the hash:\n"
      "  \"conformance\": {\"report\": \"acme.jsonl\", \"sha256\": \"0000...\"}\n"
      "Both files are then shipped in one folder, and backplane plugins checks that they belong together. A plugin\n"
      "keeps its SHA-256 as results state it: there the hash in the manifest counts as zeros.",
      "  backplane conform ./libbackplane_acme.so -o acme.jsonl\n"
      "  backplane conform attach acme.jsonl libbackplane_acme.so\n");
  options.add_positional("file", 1);
  options.add_positional("plugin", 1);
  if (auto exit = options.parse(arguments)) {
    return *exit;
  }
  if (!options.has("plugin")) {
    return options.misuse("expected a file with results, and a plugin");
  }
  const std::string file = options.get<std::string>("file"), plugin = options.get<std::string>("plugin");
  if (Status attached = conformance::attach_report(file, plugin); !attached.ok()) {
    return report(attached.error());
  }
  fmt::print("{} names {}: ship both in one folder\n", plugin, file);
  return success;
}

}  // namespace bp::command
