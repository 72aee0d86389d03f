#include "tools/command/problem.h"

#include <fmt/core.h>
#include <unistd.h>

#include <boost/algorithm/string.hpp>
#include <cstdio>
#include <cstdlib>

#include "conformance/report/json_lines.h"
#include "conformance/suite/random_graph.h"
#include "core/base/files.h"
#include "core/compile/passes.h"
#include "core/debugging/agreement.h"
#include "core/debugging/reduce.h"
#include "core/host/discovery.h"
#include "core/host/instances.h"
#include "core/text/printer.h"
#include "tools/command/terminal.h"

namespace bp::command {
namespace {

namespace po = boost::program_options;

// A new empty file for another process to read or write; removed by the destructor.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string_view suffix) {
    const char *folder = std::getenv("TMPDIR");
    path_ = fmt::format("{}/backplane-XXXXXX{}", folder != nullptr ? folder : "/tmp", suffix);
    if (const int file = mkstemps(path_.data(), static_cast<int>(suffix.size())); file >= 0) {
      close(file);
    }
  }
  ~TemporaryFile() { std::remove(path_.c_str()); }
  TemporaryFile(const TemporaryFile &) = delete;
  TemporaryFile &operator=(const TemporaryFile &) = delete;
  const std::string &path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace

void Problem::add_to(Options &options) {
  const Problem defaults;
  options.add()("passes", po::value<std::string>()->default_value(""),
                "the passes to check: names of passes and stages, separated by commas; default: the whole pipeline")(
      "against", po::value<std::string>()->default_value("interpreter"), "the backend with which --on is compared")(
      "tolerance", po::value<double>()->default_value(defaults.tolerance_),
      "with --on: largest error that is allowed: |x-y| relative to |y| or to the output's typical size")(
      "seed", po::value<std::uint64_t>()->default_value(defaults.check_.seed), "seed of the random inputs")(
      "draws", po::value<int>()->default_value(defaults.check_.draws),
      "number of draws of inputs when passes are checked")(
      "deadline", po::value<double>()->default_value(defaults.limits_.seconds), "maximum seconds for one trial")(
      "memory", po::value<double>()->default_value(static_cast<double>(defaults.limits_.bytes) / 1e9),
      "maximum memory for one trial, in GB");
  options.complete({"passes"}, Completion::Pass);
  options.complete({"against"}, Completion::Backend);
  BackendChoice::add_to(options, "");
}

std::optional<int> Problem::read(const Options &options) {
  if (auto exit = backend_.read(options)) {
    return exit;
  }
  pass_names_ = options.get<std::string>("passes");
  Result<std::vector<passes::Pass>> list = compile::default_passes();
  if (!pass_names_.empty()) {
    std::vector<std::string> names;
    boost::split(names, pass_names_, [](char c) { return c == ','; });
    list = compile::passes_named(names);
  }
  if (!list.ok()) {
    return options.misuse(list.error().message());
  }
  passes_ = std::move(list).value();
  against_ = options.get<std::string>("against");
  tolerance_ = options.get<double>("tolerance");
  check_.seed = options.get<std::uint64_t>("seed");
  check_.draws = options.get<int>("draws");
  limits_.seconds = options.get<double>("deadline");
  limits_.bytes = static_cast<std::int64_t>(options.get<double>("memory") * 1e9);
  if (!(limits_.seconds > 0) || limits_.bytes <= 0 || check_.draws < 1 || !(tolerance_ >= 0)) {
    return options.misuse("--deadline and --memory must be positive, --draws at least 1, --tolerance at least 0");
  }
  // The child process is ended at the deadline anyway, so the check may use all of it.
  check_.max_seconds = limits_.seconds;
  trial = backend_.name().empty() ? Trial::Check : Trial::Run;
  return std::nullopt;
}

int Problem::do_trial(const ir::Module &module) const {
  switch (trial) {
    case Trial::Check: return check_passes(module);
    case Trial::Run: return compare_backends(module);
    default: return judge_backend(module);
  }
}

int Problem::check_passes(const ir::Module &module) const {
  debugging::PassCheck check(check_);
  passes::PipelineOptions options;
  options.verify_between_passes = true;
  options.compare = check.compare();
  ir::Module copy = module;
  Status status = passes::run_passes(copy, passes_, options);
  if (status.ok()) {
    return success;
  }
  fmt::print("{}\n", status.error().to_string());
  // A pass that fails or leaves an invalid module counts as a wrong result.
  return negative;
}

int Problem::compare_backends(const ir::Module &module) const {
  auto backend = backend_.load_here();
  auto reference = Backend::load(against_);
  if (!backend.ok() || !reference.ok()) {
    return report(backend.ok() ? reference.error() : backend.error());
  }
  const auto agreement = debugging::compare(module, *backend, *reference, check_.seed, tolerance_);
  if (!agreement.ok()) {
    return report(agreement.error());
  }
  const auto difference = agreement->difference();
  if (difference) {
    fmt::print("{}\n", *difference);
  }
  return difference ? negative : success;
}

int Problem::judge_backend(const ir::Module &module) const {
  auto backend = backend_.load_here();
  if (!backend.ok()) {
    return report(backend.error());
  }
  auto outcome = conformance::run_graph(*backend, module, check_.seed);
  if (!outcome.ok()) {
    return report(outcome.error());
  }
  if (!outcome->mismatch.empty()) {
    fmt::print("{}\n", outcome->mismatch);
  }
  return outcome->mismatch.empty() ? success : negative;
}

debugging::Ending Problem::attempt(const ir::Module &module, const std::string &output) const {
  if (trial != Trial::Command) {
    // The trial is a process of its own, so the plugin needs no other one to crash in.
    return debugging::run_in_child([&] { return do_trial(module); }, limits_, output);
  }
  const TemporaryFile file(".hlo");
  if (!write_file(file.path(), text::print(module)).ok()) {
    return {debugging::Ending::Kind::Exited, failed};
  }
  return debugging::run_command(command + " " + file.path(), limits_, output);
}

debugging::Ending Problem::attempt(const ir::Module &module) const {
  return attempt(module, "/dev/null");
}

bool Problem::is_reproduced_by(const debugging::Ending &ending) const {
  using Kind = debugging::Ending::Kind;
  switch (symptom) {
    case Symptom::Differs:
      return ending.kind == Kind::Exited && ending.code == (trial == Trial::Command ? success : negative);
    case Symptom::Crashes: return ending.kind == Kind::Crashed;
    case Symptom::Hangs: return ending.kind == Kind::TimedOut;
  }
  return false;
}

bool Problem::adopt(const debugging::Ending &ending) {
  for (Symptom one : {Symptom::Differs, Symptom::Crashes, Symptom::Hangs}) {
    symptom = one;
    if (is_reproduced_by(ending)) {
      return true;
    }
  }
  return false;
}

std::string Problem::explain(const ir::Module &module) const {
  const TemporaryFile output(".txt");
  const debugging::Ending ending = attempt(module, output.path());
  std::string text = read_file(output.path()).ok() ? read_file(output.path()).value() : "";
  boost::trim_right(text);
  return ending.kind == debugging::Ending::Kind::Exited && !text.empty() ? text : debugging::to_string(ending, limits_);
}

std::string Problem::rerun(const std::string &file) const {
  switch (trial) {
    case Trial::Check:
      return fmt::format("backplane opt {} --check{} --seed {} --draws {}", file,
                         pass_names_.empty() ? "" : " --passes=" + pass_names_, check_.seed, check_.draws);
    case Trial::Run:
      return fmt::format("backplane run {} {} --against {} --tolerance {:g} --seed {}", file, backend_.arguments(),
                         shell_word(against_), tolerance_, check_.seed);
    case Trial::Judge: return fmt::format("backplane fuzz {} {} --seed {}", file, backend_.arguments(), check_.seed);
    case Trial::Command: return fmt::format("{} {}", command, file);
  }
  return {};
}

std::string Problem::plugin() const {
  const auto named = host::split_instance(backend_.name());
  const auto candidate = named.ok() ? host::find_plugin(named->backend, host::plugin_directories())
                                    : Result<host::Candidate>(named.error());
  const auto bytes = candidate.ok() ? read_file(candidate->path) : Result<std::string>(candidate.error());
  if (!bytes.ok()) {
    return {};
  }
  return fmt::format("{}, SHA-256 {}", candidate->path.substr(candidate->path.rfind('/') + 1),
                     conformance::sha256_hex(*bytes));
}

int reduce_and_write(const ir::Module &module, const Problem &problem, const std::string &origin,
                     const std::string &output) {
  debugging::Reduced reduced;
  {
    Progress progress("reducing");
    debugging::ReduceOptions options;
    options.progress = [&](int trials, std::size_t instructions) {
      progress.update(static_cast<std::size_t>(trials), static_cast<std::size_t>(trials),
                      fmt::format("trials, {} instructions", instructions));
    };
    reduced = debugging::reduce(
        module, [&](const ir::Module &candidate) { return problem.is_reproduced_by(problem.attempt(candidate)); },
        options);
  }
  const std::string rerun = problem.rerun(shell_word(output));
  std::string explanation = problem.explain(reduced.module);
  const std::string plugin = problem.plugin();
  const std::string header = fmt::format(
      "// rerun: {}\n// {}\n{}// from {}: {} instructions of {}, {} trials\n", rerun,
      boost::replace_all_copy(explanation, "\n", "\n// "), plugin.empty() ? "" : fmt::format("// plugin: {}\n", plugin),
      origin, reduced.module.instruction_count(), module.instruction_count(), reduced.trials);
  if (Status status = write_file(output, header + text::print(reduced.module)); !status.ok()) {
    return report(status.error());
  }
  fmt::print("{}: {} instructions of {}, {} trials\n{}\nrerun: {}\n", output, reduced.module.instruction_count(),
             module.instruction_count(), reduced.trials, explanation, rerun);
  return success;
}

}  // namespace bp::command
