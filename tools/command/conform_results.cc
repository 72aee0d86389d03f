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

// Says which of the parts are signed, and that what is made of them is not: its lines are others.
void print_signatures(std::span<const conformance::Part> parts, const std::string &output) {
  bool is_any_signed = false;
  for (const conformance::Part &part : parts) {
    if (part.report.signature) {
      fmt::print("{:<12} {} is signed by {}\n", "signature", printable(part.file), part.report.signature->key.id());
      is_any_signed = true;
    }
  }
  if (is_any_signed && !output.empty()) {
    fmt::print("{:<12} {} is not: backplane conform sign {} KEY.pem\n", "signature", printable(output),
               printable(output));
  }
}

// Reads what the verifier demands of the results. Returns an exit code if a demand makes no sense.
std::optional<int> read_demands(const Options &options, conformance::Demands &demands) {
  if (options.has("challenge")) {
    demands.challenge = options.get<std::string>("challenge");
    if (demands.challenge->empty()) {
      return options.misuse("--challenge is empty, expected the text that was given to the run");
    }
  }
  if (options.has("signed-by")) {
    const auto key = read_public_key(options.get<std::string>("signed-by"));
    if (!key.ok()) {
      return report(key.error());
    }
    demands.signed_by = *key;
  }
  return std::nullopt;
}

// Says who has signed the results, and what their seed depends on.
void print_origin(const std::string &file, const conformance::Report &results, const conformance::Demands &demands) {
  const conformance::Header &header = results.header;
  if (results.signature) {
    fmt::print("{}: signed by {}{}\n", file, results.signature->key.id(),
               demands.signed_by ? "" : ", whoever that is: --signed-by PUBLIC.pem demands a key");
  }
  if (!header.challenge.empty()) {
    fmt::print("{}: the seed {} follows from the challenge '{}' and the plugin with the SHA-256 {}\n", file,
               header.seed, printable(header.challenge), header.plugin_sha256);
  }
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
      "have two outcomes. Signatures of shards are checked, but the combined results have none: sign them again.",
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
  const auto merged = conformance::merge(parts);
  if (!merged.ok()) {
    return report(merged.error());
  }
  if (options.has("output")) {
    const Status written = write_file(options.get<std::string>("output"), conformance::to_json_lines(*merged));
    if (!written.ok()) {
      return report(written.error());
    }
  }
  print_signatures(parts, options.has("output") ? options.get<std::string>("output") : "");
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
      "  backplane conform verify acme.jsonl --all\n"
      "  backplane conform verify acme.jsonl --signed-by public.pem              only if this key has signed it\n"
      "  backplane conform verify acme.jsonl --challenge 'DAX 2027-01-15 19873.02'   only if this text chose the "
      "seed\n");
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
      "the current path of a model file; default: the path in the report")(
      "signed-by", po::value<std::string>(), "file with the public key, in PEM, that must have signed the results")(
      "challenge", po::value<std::string>(), "text that must have been given to the run as --challenge");
  options.complete({"challenge"}, Completion::Nothing);
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
  conformance::Demands demands;
  if (auto exit = read_demands(options, demands)) {
    return *exit;
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
      conformance::verify_report(file, sample, options.get<std::uint64_t>("seed"), std::move(session), demands);
  if (!verified.ok()) {
    return report(verified.error());
  }
  for (const std::string &difference : verified->differences) {
    fmt::print("{}\n", difference);
  }
  if (verified->is_of_other_suite) {
    fmt::print("{}: another build of the suite made these results: what differs may have that reason\n", file);
  }
  print_origin(file, verified->report, demands);
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

int sign_results(std::span<const std::string> arguments) {
  Options options(
      "conform sign FILE KEY.pem",
      "Signs complete results: appends a line with the public key and a signature of all lines before, by Ed25519.\n"
      "Whoever signs says that this run has happened like that, not that the results are good. Sign before conform\n"
      "attach, which remembers the whole file. The key must have no passphrase.",
      "  openssl genpkey -algorithm ed25519 -out key.pem             makes a key, once; keep it secret\n"
      "  openssl pkey -in key.pem -pubout -out public.pem            for everybody\n"
      "  backplane conform sign acme.jsonl key.pem\n"
      "  backplane conform verify acme.jsonl --signed-by public.pem\n");
  options.add_positional("file", 1);
  options.add_positional("key", 1);
  if (auto exit = options.parse(arguments)) {
    return *exit;
  }
  if (!options.has("key")) {
    return options.misuse("expected a file with results, and one with a private key");
  }
  const std::string file = results_in(options.get<std::string>("file"));
  const auto key = conformance::sign_report(file, options.get<std::string>("key"));
  if (!key.ok()) {
    return report(key.error());
  }
  fmt::print("{}: signed by {}\n", file, key->id());
  return success;
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
