#include "tools/command/conform_results.h"

#include <fmt/core.h>

#include <boost/filesystem.hpp>
#include <functional>
#include <limits>
#include <optional>

#include "conformance/report/json_lines.h"
#include "conformance/report/render.h"
#include "conformance/runner/certificate.h"
#include "conformance/runner/merge.h"
#include "conformance/runner/verification.h"
#include "core/base/files.h"
#include "tools/command/certificate_text.h"
#include "tools/command/terminal.h"

namespace bp::command {
namespace {

namespace po = boost::program_options;

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

std::string paint_status(conformance::CaseStatus status) {
  return paint(conformance::is_unexpected(status) ? Colour::Red : Colour::Green, conformance::to_string(status));
}

std::string results_in(const std::string &package) {
  boost::system::error_code problem;
  return boost::filesystem::is_directory(package, problem) ? package + "/results.jsonl" : package;
}

void add_renderings(Options &options) {
  options.add()("html", po::value<std::string>(), "file for an HTML page with the results")(
      "junit", po::value<std::string>(), "file for the results as JUnit XML")(
      "badge", po::value<std::string>(), "file for a small SVG picture with the score")(
      "workload", po::value<std::vector<std::string>>()->composing(),
      "a file of `backplane conform workload`: also shows how much of it runs on the device; may be repeated");
}

std::optional<int> read_workloads(const Options &options, std::vector<conformance::Workload> &workloads) {
  workloads = conformance::named_workloads();
  if (!options.has("workload")) {
    return std::nullopt;
  }
  for (const std::string &file : options.get<std::vector<std::string>>("workload")) {
    const auto text = read_file(file);
    auto workload =
        text.ok() ? conformance::workload_from_json(*text) : bp::Result<conformance::Workload>(text.error());
    if (!workload.ok()) {
      return report(text.ok() ? invalid_input("{}: {}", file, workload.error().message()) : workload.error());
    }
    workloads.push_back(std::move(workload).value());
  }
  return std::nullopt;
}

int show_results(const Options &options, const conformance::Report &results,
                 std::span<const conformance::Workload> workloads, std::size_t shown) {
  fmt::print("{}", conformance::to_text(results, paint_status, shown, workloads));
  const std::pair<const char *, std::function<std::string()>> renderings[] = {
      {"html", [&] { return conformance::to_html(results, workloads); }},
      {"junit", [&] { return conformance::to_junit(results); }},
      {"badge", [&] { return conformance::to_badge(results); }}};
  for (const auto &[option, render] : renderings) {
    if (options.has(option)) {
      if (Status written = write_file(options.get<std::string>(option), render()); !written.ok()) {
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
      "  backplane conform report acme.jsonl --html acme.html --badge acme.svg\n"
      "  backplane conform report acme.jsonl --workload model.json --html acme.html    see conform workload --help\n"
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
  std::vector<conformance::Workload> workloads;
  if (auto exit = read_workloads(options, workloads)) {
    return *exit;
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
  return show_results(options, *merged, workloads);
}

int verify_results(std::span<const std::string> arguments) {
  Options options(
      "conform verify FILE [options]",
      "Verifies the results of `backplane conform -o FILE`: the hashes are correct, plugin and expectations are the\n"
      "files that were used, no case is missing, and a sample of them has the same results when it is run again.\n"
      "The seed of the sample should be one that whoever made the results could not know. If all is well, a file in\n"
      "the user's cache remembers it, and `backplane plugins` says on which date the plugin was checked.",
      "  backplane conform verify acme.jsonl\n"
      "  backplane conform verify acme.jsonl --sample 100 --seed 7\n"
      "  backplane conform verify acme.jsonl --plugin ./libbackplane_acme.so\n"
      "  backplane conform verify acme.jsonl --all\n");
  options.add_positional("file", 1);
  options.add()("plugin", po::value<std::string>(),
                "the plugin's file; default: that of its name next to the results, or the path in the results")(
      "sample", po::value<std::size_t>(),
      "number of cases to run again; default: all of a quick run, 2,000 of a full one")("all", "run all cases again")(
      "seed", po::value<std::uint64_t>()->default_value(0), "seed that chooses these cases")(
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
  std::optional<std::size_t> sample;
  if (options.has("all")) {
    sample = std::numeric_limits<std::size_t>::max();
  } else if (options.has("sample")) {
    sample = options.get<std::size_t>("sample");
  }
  const auto verified =
      conformance::verify_report(file, sample, options.get<std::uint64_t>("seed"), std::move(session));
  if (!verified.ok()) {
    return report(verified.error());
  }
  for (const std::string &difference : verified->differences) {
    fmt::print("{}\n", difference);
  }
  if (verified->is_of_other_suite) {
    fmt::print("{}: another build of the suite made these results: what differs may have that reason\n", file);
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
  const conformance::Certificate certificate = conformance::check_certificate(host::examine(plugin));
  fmt::print("{} names {}, {}: ship both in one folder\n", plugin, file, describe_counts(certificate.totals));
  return success;
}

}  // namespace bp::command
