#include <fmt/core.h>

#include <algorithm>
#include <boost/filesystem.hpp>
#include <boost/json.hpp>
#include <map>
#include <mutex>

#include "conformance/check/onnx_case.h"
#include "conformance/check/runner.h"
#include "core/base/thread_pool.h"
#include "tools/command/backend_choice.h"
#include "tools/command/devices.h"
#include "tools/command/measured_run.h"
#include "tools/command/terminal.h"
#include "tools/measure/allocation_counter.h"

namespace bp::command {
namespace {

namespace filesystem = boost::filesystem;

struct CheckRequest {
  std::vector<std::string> files;
  BackendChoice backend;
  int part = 0;  // 0: all
  int jobs = 0;
  conformance::Policy policy = conformance::Policy::Strict;
  bool memory = false;
};

enum class CheckStatus { Passed, Failed, Skipped };

std::string_view name_of(CheckStatus status) {
  switch (status) {
    case CheckStatus::Passed: return "passed";
    case CheckStatus::Failed: return "failed";
    case CheckStatus::Skipped: return "skipped";
  }
  return {};
}

struct CheckResult {
  CheckStatus status = CheckStatus::Passed;
  std::size_t checks = 0;
  std::vector<std::string> messages;           // reasons for the failure or for skipping
  std::vector<std::string> stored_values_off;  // checks that hold only with the correctly rounded result
};

struct Tally {
  std::size_t passed = 0, failed = 0, skipped = 0;
  std::size_t &operator[](CheckStatus status) {
    return status == CheckStatus::Passed ? passed : status == CheckStatus::Failed ? failed : skipped;
  }
};

// Replaces folders by the programs in them.
Result<std::vector<std::string>> find_files(const std::vector<std::string> &paths) {
  std::vector<std::string> files;
  for (const std::string &path : paths) {
    boost::system::error_code problem;
    if (!filesystem::is_directory(path, problem) || conformance::is_onnx_folder(path)) {
      files.push_back(path);
      continue;
    }
    const std::size_t first = files.size();
    filesystem::recursive_directory_iterator walk(path, problem), end;
    for (; !problem && walk != end; walk.increment(problem)) {
      const std::string extension = walk->path().extension().string();
      const bool is_program = extension == ".hlo" || extension == ".mlir";
      if (is_program || conformance::is_onnx_folder(walk->path().string())) {
        files.push_back(walk->path().string());
      }
    }
    if (problem) {
      return make_error(ErrorCode::Io, "{}: {}", path, problem.message());
    }
    if (files.size() == first) {
      return invalid_input("{}: contains no .hlo or .mlir files and no ONNX models with test data", path);
    }
    std::sort(files.begin() + static_cast<std::ptrdiff_t>(first), files.end());
  }
  return files;
}

Result<std::vector<conformance::Case>> read_cases(const CheckRequest &request) {
  BP_ASSIGN(std::vector<std::string> files, find_files(request.files));
  std::vector<conformance::Case> cases;
  for (const std::string &file : files) {
    if (!filesystem::is_directory(file) && package::is_package(file)) {
      return package::not_a_model(file);
    }
    BP_ASSIGN(std::vector<conformance::Case> more,
              conformance::is_onnx_folder(file) ? conformance::onnx_cases(file) : conformance::read_cases(file));
    if (request.part > static_cast<int>(more.size())) {
      return invalid_input("{} has {} parts, there is no part {}", file, more.size(), request.part);
    }
    for (conformance::Case &one : more) {
      if (request.part == 0 || one.part == request.part) {
        cases.push_back(std::move(one));
      }
    }
  }
  return cases;
}

// Checks that a run takes exactly the predicted number of bytes.
Status check_memory(const Executable &executable, const std::vector<ir::Literal> &arguments) {
  if (executable.program() == nullptr) {
    return {};
  }
  BP_ASSIGN(const MeasuredRun run, run_measured(executable.program(), arguments, 1));
  const MemoryFigures predicted = executable.memory();
  if (run.memory.peak >= 0 && run.memory.peak != predicted.peak()) {
    return make_error(ErrorCode::Internal, "a run took {} bytes, but {} were predicted", run.memory.peak,
                      predicted.peak());
  }
  if (run.memory.staging >= 0 && run.memory.staging != predicted.staging) {
    return make_error(ErrorCode::Internal, "a run took {} bytes of host memory, but {} were predicted",
                      run.memory.staging, predicted.staging);
  }
  return {};
}

CheckResult result_of(const Result<conformance::Outcome> &outcome, const conformance::Case &one);

// The reader may understand a program without being able to turn it into a static program for one device.
CheckResult not_read(const Error &error) {
  return {
      error.code() == ErrorCode::Unsupported ? CheckStatus::Skipped : CheckStatus::Failed, 0, {error.to_string()}, {}};
}

CheckResult run_onnx(const conformance::Case &one, const Backend &backend, const CheckRequest &request) {
  Result<conformance::SelfChecking> program = conformance::read_onnx_case(one);
  if (!program.ok()) {
    return not_read(program.error());
  }
  return result_of(conformance::run(std::move(*program), backend, request.policy,
                                    request.memory ? check_memory : conformance::Inspect()),
                   one);
}

CheckResult run(const conformance::Case &one, const Backend &backend, const CheckRequest &request) {
  if (one.form == conformance::Case::Form::OnnxFolder) {
    return run_onnx(one, backend, request);
  }
  Result<Module> module = conformance::parse(one);
  if (!module.ok()) {
    return not_read(module.error());
  }
  if (std::string reason = conformance::interpreter_only(*module); !reason.empty() && !backend.is_interpreter()) {
    return {CheckStatus::Skipped, 0, {reason}, {}};
  }
  if (std::string reason = conformance::fed_from_outside(*module); !reason.empty()) {
    return {CheckStatus::Skipped, 0, {reason}, {}};
  }
  warn_if_unpartitioned(one.file, *module);
  return result_of(
      conformance::run(*module, backend, request.policy, request.memory ? check_memory : conformance::Inspect(),
                       [&](std::int64_t count) { return request.backend.load_ensemble(count); }),
      one);
}

CheckResult result_of(const Result<conformance::Outcome> &outcome, const conformance::Case &one) {
  if (!outcome.ok()) {
    return {CheckStatus::Failed, 0, {outcome.error().to_string()}, {}};
  }
  if (outcome->checks == 0) {
    return {CheckStatus::Skipped, 0, {"contains no check"}, {}};
  }
  CheckResult result{outcome->failures.empty() ? CheckStatus::Passed : CheckStatus::Failed, outcome->checks, {}, {}};
  auto tell = [&](const std::vector<conformance::Remark> &remarks, std::vector<std::string> &lines) {
    for (const conformance::Remark &remark : remarks) {
      lines.push_back(fmt::format("{}:{}: {}", one.file, remark.location.line, remark.text));
    }
  };
  tell(outcome->failures, result.messages);
  tell(outcome->stored_values_off, result.stored_values_off);
  return result;
}

std::vector<CheckResult> run_all(const std::vector<conformance::Case> &cases, const CheckRequest &request,
                                 const Backend &backend) {
  std::vector<CheckResult> results(cases.size());
  ThreadPool pool(static_cast<std::uint32_t>(request.jobs));
  Progress progress("checking");
  std::mutex mutex;
  std::size_t done = 0;
  pool.parallel(static_cast<std::uint32_t>(cases.size()), [&](std::uint32_t i, std::uint32_t) {
    if (request.backend.is_isolated()) {
      // A program that crashes loses the device for all others, so each gets its own.
      const Result<Backend> own = request.backend.load();
      results[i] =
          own.ok() ? run(cases[i], *own, request) : CheckResult{CheckStatus::Failed, 0, {own.error().to_string()}, {}};
    } else {
      results[i] = run(cases[i], backend, request);
    }
    std::lock_guard lock(mutex);
    progress.update(++done, cases.size(), cases[i].file);
  });
  return results;
}

std::string rerun_command(const conformance::Case &one, const CheckRequest &request) {
  return fmt::format("{} check {} --part {} {}{}{}", request.memory ? "backplane_counting" : "backplane",
                     shell_word(one.file), one.part, request.backend.arguments(),
                     request.policy == conformance::Policy::Device ? " --policy device" : "",
                     request.memory ? " --memory" : "");
}

void print_for_people(const std::vector<conformance::Case> &cases, const std::vector<CheckResult> &results,
                      const CheckRequest &request) {
  Tally tally, disabled;
  std::map<std::string, std::size_t> skips;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const CheckResult &result = results[i];
    ++(cases[i].is_disabled ? disabled : tally)[result.status];
    if (result.status == CheckStatus::Skipped && !cases[i].is_disabled) {
      ++skips[result.messages.at(0).substr(0, result.messages[0].find('\n'))];
    }
    if (result.status != CheckStatus::Failed) {
      continue;
    }
    fmt::print("{} {} part {}{}\n", paint(Colour::Red, "failed"), cases[i].file, cases[i].part,
               cases[i].is_disabled ? " (disabled in the file)" : "");
    for (const std::string &message : result.messages) {
      fmt::print("  {}\n", message);
    }
    fmt::print("  rerun: {}\n", rerun_command(cases[i], request));
  }
  for (const CheckResult &result : results) {
    for (const std::string &line : result.stored_values_off) {
      fmt::print("the result is correctly rounded, but the stored value is not: {}\n", line);
    }
  }
  for (const auto &[reason, count] : skips) {
    fmt::print("skipped {}: {}\n", count, reason);
  }
  if (disabled.passed + disabled.failed + disabled.skipped != 0) {
    fmt::print("programs that their files disable, run all the same: {} passed, {} failed, {} skipped\n",
               disabled.passed, disabled.failed, disabled.skipped);
  }
  fmt::print("{} passed, {} failed, {} skipped\n", tally.passed, tally.failed, tally.skipped);
}

void print_as_json(const std::vector<conformance::Case> &cases, const std::vector<CheckResult> &results,
                   const CheckRequest &request) {
  boost::json::array array;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    array.push_back({{"file", cases[i].file},
                     {"part", cases[i].part},
                     {"disabled", cases[i].is_disabled},
                     {"status", name_of(results[i].status)},
                     {"checks", results[i].checks},
                     {"messages", boost::json::value_from(results[i].messages)},
                     {"stored_values_off", boost::json::value_from(results[i].stored_values_off)}});
  }
  boost::json::object object{{"on", request.backend.name()}, {"cases", std::move(array)}};
  fmt::print("{}\n", boost::json::serialize(object));
}

}  // namespace

int check_programs(std::span<const std::string> arguments) {
  namespace po = boost::program_options;
  Options options(
      "check FILES... [--on NAME] [--policy strict|device]",
      "Runs self-checking programs on a backend. A file contains one or more programs, separated by '// -----'. A\n"
      "program states the results that it expects: in StableHLO by check.expect_eq and similar operations, in HLO by\n"
      "custom calls of the same names. Inputs become parameters, so that the backend computes the results and not\n"
      "the compiler. A folder stands for all .hlo and .mlir files in it, and for ONNX models with test data, as those "
      "of\n"
      "ONNX's own tests: model.onnx and test_data_set_0/input_0.pb, output_0.pb, ...",
      "  backplane check cases/add.mlir\n"
      "  backplane check cases --on cpu\n"
      "  backplane check cases/add.mlir --part 3        only the third program of the file\n"
      "  backplane check cases --features=x86-64        uses no CPU features beyond SSE2\n"
      "  backplane_counting check cases --on cpu --memory    also compares memory with the prediction\n"
      "  backplane check cases --on ./libbackplane_acme.so --json > results.json\n");
  BackendChoice::add_to(options);
  options.add()("part", po::value<int>()->default_value(0),
                "run only the program with this number in each file, counted from 1; 0: all")(
      "jobs", po::value<int>()->default_value(0), "number of programs at the same time; 0: one per processor")(
      "policy", po::value<std::string>()->default_value("strict"),
      "strict: the tolerances of the programs; device: at least 16 ulp, or 4 ulp for types of 16 bits and fewer")(
      "memory",
      "also fail if a run takes more or less memory than was predicted; one program at a time; needs "
      "backplane_counting from the build tree, the same command with a counting allocator")(
      "json", "print one JSON object instead of text");
  options.expect_one_of("policy", {"strict", "device"});
  options.add_positional("files", -1);
  if (auto exit = options.parse(arguments)) {
    return *exit;
  }
  if (!options.has("files")) {
    return options.misuse("no file was given");
  }
  CheckRequest request{
      options.get<std::vector<std::string>>("files"), {}, options.get<int>("part"), options.get<int>("jobs"), {}};
  if (auto exit = request.backend.read(options)) {
    return *exit;
  }
  request.policy =
      options.get<std::string>("policy") == "device" ? conformance::Policy::Device : conformance::Policy::Strict;
  request.memory = options.has("memory");
  if (request.memory) {
    request.backend.add_lowest_layer(device_memory_counter());
  }
  if (request.memory && !measure::AllocationCounter::is_linked()) {
    return options.misuse("--memory needs a counting allocator: run build/tools/backplane_counting");
  }
  if (request.memory && request.jobs > 1) {
    return options.misuse("--memory counts the memory of the whole process: expected --jobs 1");
  }
  request.jobs = request.memory ? 1 : request.jobs;
  if (request.part < 0 || request.jobs < 0) {
    return options.misuse("--part and --jobs must be at least 0");
  }
  Result<std::vector<conformance::Case>> cases = read_cases(request);
  if (!cases.ok()) {
    return report(cases.error());
  }
  Result<Backend> backend = request.backend.load();
  if (!backend.ok()) {
    return report(backend.error());
  }
  const std::vector<CheckResult> results = run_all(*cases, request, *backend);
  (options.has("json") ? print_as_json : print_for_people)(*cases, results, request);
  bool failed = false;
  for (std::size_t i = 0; i < results.size(); ++i) {
    failed = failed || (results[i].status == CheckStatus::Failed && !(*cases)[i].is_disabled);
  }
  return failed ? negative : success;
}

}  // namespace bp::command
