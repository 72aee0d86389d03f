#include <fmt/core.h>

#include <algorithm>
#include <boost/algorithm/string.hpp>

#include "conformance/mutants/mutant.h"
#include "conformance/report/json_lines.h"
#include "conformance/report/render.h"
#include "conformance/runner/session.h"
#include "conformance/runner/worker.h"
#include "core/base/files.h"
#include "tools/command/backend_choice.h"
#include "tools/command/conform_coverage.h"
#include "tools/command/conform_diff.h"
#include "tools/command/conform_results.h"
#include "tools/command/conform_show.h"
#include "tools/command/conform_workload.h"
#include "tools/command/terminal.h"

namespace bp::command {
namespace {

namespace po = boost::program_options;

std::vector<std::string> split(const std::string &list) {
  std::vector<std::string> items;
  if (!list.empty()) {
    boost::split(items, list, boost::is_any_of(","));
  }
  return items;
}

// Prints unexpected results as they come, `shown` of them, so that a long run can be ended early.
bp::Result<std::string> run_with_progress(conformance::Session &session, std::size_t &shown) {
  Progress progress("conform");
  std::size_t unexpected = 0;
  session.on_record = [&](const conformance::Record &record, std::size_t done, std::size_t total) {
    unexpected += conformance::is_unexpected(record.verdict.status) ? 1 : 0;
    if (conformance::is_shown(record) && shown < conformance::max_shown_results) {
      ++shown;
      progress.clear();
      fmt::print("{}", conformance::to_text(record, paint_status));
      std::fflush(stdout);
    }
    progress.update(done, total, fmt::format("{} unexpected  {}", unexpected, record.id));
  };
  return run_session(session);
}

// Calls use(subject) and returns its exit code.
template <class Use>
int with_subject(const conformance::Session &session, Use use) {
  auto subject = conformance::Subject::find(session.choice);
  return subject.ok() ? use(*subject) : report(subject.error());
}

int list_cases(const conformance::Session &session) {
  return with_subject(session, [&](const conformance::Subject &subject) -> int {
    const auto groups = conformance::select_cases(subject, session.selection);
    if (!groups.ok()) {
      return report(groups.error());
    }
    for (const conformance::Group &group : *groups) {
      for (const std::string &id : group.ids) {
        fmt::print("{}\n", id);
      }
    }
    return success;
  });
}

int list_rules(const conformance::Session &session) {
  return with_subject(session, [](const conformance::Subject &subject) {
    for (const conformance::TestedRule &row : conformance::tested_rules(subject)) {
      fmt::print("{}\t{}\n", row.rule, row.cases);
    }
    return success;
  });
}

int list_mutants() {
  for (const conformance::Mutant &mutant : conformance::mutants()) {
    fmt::print("{}\t{}\t{}\t{}\t{}\t{}\n", mutant.name, mutant.around, mutant.cases, mutant.kind, mutant.what,
               mutant.source);
  }
  return success;
}

int list_stages() {
  for (const conformance::Stage &stage : conformance::stages()) {
    fmt::print("{}\n", stage.name);
  }
  return success;
}

int be_worker(const conformance::Session &session, int descriptor) {
  return with_subject(session, [&](conformance::Subject &subject) {
    accept_exits();
    conformance::serve(subject, descriptor);
    return success;
  });
}

// Runs the cases, writes each line to --output while they come, and returns all lines.
bp::Result<std::string> run_into_file(const Options &options, conformance::Session session, std::size_t &shown) {
  if (!options.has("output")) {
    return run_with_progress(session, shown);
  }
  BP_ASSIGN(OutputFile file, OutputFile::create(options.get<std::string>("output")));
  session.on_line = [&](const std::string &line) { file.write(line); };
  BP_ASSIGN(std::string lines, run_with_progress(session, shown));
  BP_TRY(file.status());
  return lines;
}

// Prints which expectations match no case. They were read for the run, so that errors are impossible by now.
void print_unused_expectations(const conformance::Session &session) {
  const auto warnings = conformance::find_unused_expectations(session);
  for (const std::string &warning : warnings.ok() ? *warnings : std::vector<std::string>()) {
    fmt::print("{:<12} {}\n", "warning", printable(warning));
  }
}

int run_and_report(const Options &options, const conformance::Session &session) {
  std::vector<conformance::Workload> workloads;
  if (auto exit = read_workloads(options, workloads)) {  // before the run, which takes minutes
    return *exit;
  }
  std::size_t shown = 0;
  const bp::Result<std::string> lines = run_into_file(options, session, shown);
  if (!lines.ok()) {
    return report(lines.error());
  }
  const bp::Result<conformance::Report> results = conformance::report_from_json(*lines);
  if (!results.ok()) {
    return report(results.error());
  }
  if (results->records.empty()) {
    fmt::print(stderr, "backplane: no case was run: this shard is empty\n");
  }
  print_unused_expectations(session);
  return show_results(options, *results, workloads, shown);
}

Options conform_options() {
  Options options(
      "conform NAME|PATH [options], or conform verify FILE, report FILE..., diff OLD NEW, coverage [FILE], sign FILE "
      "KEY, "
      "attach FILE PLUGIN.so",
      "Tests a backend without knowledge of its code: its file, its life cycle, every operation against the\n"
      "interpreter, whole programs, buffers and concurrent runs. Each case runs in a worker process, so that a crash\n"
      "or hang fails only that case. The file libbackplane_NAME.expectations next to the plugin lists the cases that\n"
      "are known to fail, with reasons.",
      "  backplane conform acme                              the quick run\n"
      "  backplane conform ./libbackplane_acme.so --full --shard 3/8\n"
      "  backplane conform acme --stage x_ray,life_cycle\n"
      "  backplane conform acme --case 'ops/add/f32/*'       every case that matches\n"
      "  backplane conform acme --hardware-safe              without what may stop a real board\n"
      "  backplane conform acme --show ops/add/f32/prime/edge   one case in full: program, operands, results\n"
      "  backplane conform acme --model resnet.mlir --case 'programs/model/resnet/*'\n"
      "  backplane conform acme -o acme.jsonl --html acme.html --junit acme.xml\n"
      "  backplane conform acme --stage performance --against-report acme.jsonl\n"
      "  backplane conform verify acme.jsonl                 checks the hashes, and runs some cases again\n"
      "  backplane conform report shard_*.jsonl --html acme.html   combines shards and shows their results\n"
      "  backplane conform acme --challenge 'DAX 2027-01-15 19873.02'   with a seed that nobody could know before\n"
      "  backplane conform sign acme.jsonl key.pem           says who vouches for the results\n"
      "  backplane conform diff monday.jsonl tuesday.jsonl   what got worse, better, new\n"
      "  backplane conform coverage acme.jsonl               which kinds of instructions it has shown to be right\n"
      "  backplane conform workload model.hlo -o model.json  counts its operations, for conform report --workload\n"
      "  backplane conform attach acme.jsonl libbackplane_acme.so  makes the results known to backplane plugins\n"
      "See also conform verify --help, and those of conform report, diff, coverage, workload, sign and attach.\n");
  options.add_positional("backend", 1);
  options.add_positional("another", 1);
  options.add()("tier", po::value<std::string>()->default_value(""),
                "kernels, memory, compiler or queue; default: the highest tier that the manifest lists")(
      "stage", po::value<std::string>()->default_value(""), "run only these stages, separated by commas")(
      "case", po::value<std::vector<std::string>>()->composing(),
      "run only cases that match this pattern, in which '*' stands for any text; may be repeated")(
      "show", po::value<std::string>(),
      "run only this case, and print in words what it is, its program, also as the core rewrites it for the device, "
      "the "
      "operands, the expected result and the device's, and what ran where")(
      "quick", "the quick run, which is the default")("full",
                                                      "test more shapes and values, with many more repetitions")(
      "seed", po::value<std::uint64_t>()->default_value(0),
      "seed of random values; the same seed gives the same verdict")(
      "challenge", po::value<std::string>(),
      "instead of --seed: a text, such as tomorrow's numbers of a lottery, that determines the seed together with the "
      "SHA-256 of the plugin; conform verify --challenge demands it")(
      "shard", po::value<std::string>(),
      "I/N: run part I of N; default: from TEST_SHARD_INDEX and TEST_TOTAL_SHARDS in the environment")(
      "jobs", po::value<int>()->default_value(0), "number of worker processes; 0: one per processor")(
      "deadline", po::value<double>()->default_value(1), "factor by which the time limits of all cases are multiplied")(
      "output,o", po::value<std::string>(), "file for the results, as JSON lines, written case by case")(
      "against-report", po::value<std::string>(),
      "results of an earlier run: shows which cases have become slower or faster")(
      "hardware-safe",
      "leave out the cases that may stop a real board: damaged artifacts, lost devices, exhausted memory, many loads; "
      "they are reported as not_run, with the reason")("fail-fast", "end at the first unexpected result")(
      "expectations", po::value<std::string>()->default_value(""),
      "file with expectations; default: the one next to the plugin")(
      "model", po::value<std::vector<std::string>>()->composing(),
      "a model file, whose pieces become cases of the stage programs; may be repeated")(
      "mutant", po::value<std::string>()->default_value(""),
      "inject this fault into the plugin, which the suite must find: tail-lost, signal-twice, ... "
      "(conformance/mutants)")(
      "mutants", "only list the faults for --mutant: name, plugin, cases that must find it, kind, description, source")(
      "stages", "only list the stages")("list", "only list the ids of the cases")(
      "rules", "only list the rules of the headers that are tested, with the cases that test them")(
      "worker", po::value<int>(), "run the cases that arrive through this file descriptor; for internal use");
  add_setting_options(options);
  add_renderings(options);
  options.complete({"backend", "another"}, Completion::Backend);
  options.complete("tier", {"kernels", "memory", "compiler", "queue"});
  options.complete("stage", names_of(conformance::stages()));
  options.complete("mutant", names_of(conformance::mutants()));
  options.complete({"case", "show", "challenge", "shard"}, Completion::Nothing);
  return options;
}

// Returns the exit code of a misuse if a listing was asked for together with something that only runs have.
std::optional<int> check_listing(const Options &options) {
  for (const char *listing : {"mutants", "stages", "list", "rules"}) {
    for (const char *of_runs : {"output", "html", "junit", "badge", "workload", "against-report", "fail-fast"}) {
      if (options.has(listing) && options.has(of_runs)) {
        return options.misuse(fmt::format("--{} runs nothing, expected no --{}", listing, of_runs));
      }
    }
  }
  return std::nullopt;
}

// Returns the exit code of a misuse if --show is given together with something that it ignores.
std::optional<int> check_show(const Options &options) {
  for (const char *other : {"mutants", "stages", "list", "rules", "stage", "case", "shard", "output", "html", "junit",
                            "badge", "workload", "against-report", "fail-fast", "hardware-safe"}) {
    if (options.has("show") && options.is_given(other)) {
      return options.misuse(fmt::format("--show prints one case, expected no --{}", other));
    }
  }
  return std::nullopt;
}

// Reads which backend is judged, and its settings.
std::optional<int> read_choice(const Options &options, conformance::Choice &choice) {
  choice.name = options.get<std::string>("backend");
  choice.tier = options.get<std::string>("tier");
  choice.mode = options.has("full") ? conformance::Mode::Full : conformance::Mode::Quick;
  choice.seed = options.get<std::uint64_t>("seed");
  choice.mutant = options.get<std::string>("mutant");
  if (options.has("model")) {
    choice.models = options.get<std::vector<std::string>>("model");
  }
  return read_settings(options, choice.settings);
}

// Reads --challenge, which takes the place of --seed.
std::optional<int> read_challenge(const Options &options, conformance::Session &session) {
  if (!options.has("challenge")) {
    return std::nullopt;
  }
  if (options.is_given("seed")) {
    return options.misuse("--challenge determines the seed, expected no --seed");
  }
  const Status accepted = conformance::accept_challenge(session, options.get<std::string>("challenge"));
  return accepted.ok() ? std::nullopt : std::optional(report(accepted.error()));
}

// Reads which cases are run, and how; the shard is read later.
std::optional<int> read_run(const Options &options, conformance::Session &session) {
  session.program = this_program;
  session.selection.stages = split(options.get<std::string>("stage"));
  if (options.has("case")) {
    session.selection.patterns = options.get<std::vector<std::string>>("case");
  }
  session.expectations_file = options.get<std::string>("expectations");
  session.jobs = options.get<int>("jobs");
  session.deadline_scale = options.get<double>("deadline");
  session.selection.hardware_safe = options.has("hardware-safe");
  session.fail_fast = options.has("fail-fast");
  if (session.jobs < 0 || !(session.deadline_scale > 0)) {
    return options.misuse("--jobs must be at least 0, --deadline positive");
  }
  if (options.has("another")) {
    return options.misuse(
        fmt::format("one backend is judged at a time, but {} was given too", options.get<std::string>("another")));
  }
  return std::nullopt;
}

std::optional<int> read_earlier_report(const Options &options, std::optional<conformance::Report> &earlier) {
  if (options.has("against-report")) {
    auto read = conformance::read_report(options.get<std::string>("against-report"));
    if (!read.ok()) {
      return report(read.error());
    }
    earlier = std::move(read).value();
  }
  return std::nullopt;
}

std::optional<int> read_shard(const Options &options, conformance::Shard &shard) {
  const auto read = options.has("shard") ? conformance::Shard::parse(options.get<std::string>("shard"))
                                         : conformance::Shard::from_environment();
  if (!read.ok()) {
    return options.misuse(read.error().message());
  }
  shard = *read;
  return std::nullopt;
}

// The functions of `conform WORD ...`; another word is the name of a backend.
constexpr std::pair<std::string_view, int (*)(std::span<const std::string>)> commands_on_results[] = {
    {"verify", verify_results},   {"report", report_results}, {"diff", compare_results}, {"coverage", show_coverage},
    {"workload", count_workload}, {"sign", sign_results},     {"attach", attach_results}};

}  // namespace

int conform(std::span<const std::string> arguments) {
  for (const auto &[word, run] : commands_on_results) {
    if (!arguments.empty() && arguments[0] == word) {
      return run(arguments.subspan(1));
    }
  }
  Options options = conform_options();
  if (auto exit = options.parse(arguments)) {
    if (arguments[0] == describe_argument) {
      for (const auto &[word, run] : commands_on_results) {
        run(arguments);
      }
    }
    return *exit;
  }
  if (auto exit = check_listing(options)) {
    return *exit;
  }
  if (auto exit = check_show(options)) {
    return *exit;
  }
  if (options.has("mutants")) {
    return list_mutants();
  }
  if (options.has("stages")) {
    return list_stages();
  }
  if (!options.has("backend")) {
    return options.misuse("no backend was given");
  }
  conformance::Session session;
  if (auto exit = read_choice(options, session.choice)) {
    return *exit;
  }
  if (auto exit = read_run(options, session)) {
    return *exit;
  }
  if (auto exit = read_challenge(options, session)) {
    return *exit;
  }
  if (options.has("worker")) {
    return be_worker(session, options.get<int>("worker"));
  }
  if (options.has("show")) {
    return show_case(std::move(session), options.get<std::string>("show"));
  }
  if (const auto found = host::find_plugin(session.choice.name, host::plugin_directories()); found.ok()) {
    print_warnings(*found);
  }
  if (auto exit = read_earlier_report(options, session.earlier)) {
    return *exit;
  }
  if (auto exit = read_shard(options, session.selection.shard)) {
    return *exit;
  }
  if (options.has("rules")) {
    return list_rules(session);
  }
  if (options.has("list")) {
    return list_cases(session);
  }
  return run_and_report(options, session);
}

}  // namespace bp::command
