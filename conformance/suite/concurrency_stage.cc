// Concurrent runs give the same bits as runs one after the other: runs of one program from several threads, runs on two
// devices of one library, and runs whose parts are submitted and waited for in any order.
#include <fmt/format.h>

#include <atomic>
#include <optional>
#include <thread>

#include "conformance/suite/direct_program.h"
#include "conformance/suite/overlapping_runs.h"
#include "conformance/suite/sample_programs.h"
#include "conformance/suite/stage.h"
#include "core/debugging/random_scope.h"
#include "core/host/diagnostics.h"
#include "core/interpreter/random_inputs.h"

namespace bp::conformance {
namespace {

constexpr int threads = 4;

// Inputs of a thread, and their results when nothing else runs.
struct ConcurrentWork {
  std::vector<Literal> arguments;
  Literal expected;
};

Result<ConcurrentWork> make_work(const Compiled &compiled, const ir::Module &module, std::uint64_t seed) {
  ConcurrentWork work;
  BP_ASSIGN(work.arguments, interpreter::random_arguments(module, seed));
  BP_ASSIGN(work.expected, compiled.executable.run(work.arguments));
  return work;
}

// All threads start together, each with its own inputs, and use the `programs` in turn.
Status run_concurrently(const std::vector<const Compiled *> &programs, const std::vector<ConcurrentWork> &work,
                        int rounds) {
  std::atomic<int> ready = 0;
  std::atomic<bool> differs = false;
  std::vector<Status> failures(threads);
  std::vector<std::thread> running;
  for (std::size_t t = 0; t < threads; ++t) {
    running.emplace_back([&, t] {
      const Compiled &program = *programs[t % programs.size()];
      ++ready;
      while (ready < threads) {
        std::this_thread::yield();
      }
      for (int i = 0; i < rounds && failures[t].ok() && !differs; ++i) {
        auto result = program.executable.run(work[t].arguments);
        if (!result.ok()) {
          failures[t] = std::move(result).error();
        } else if (!result->identical(work[t].expected)) {
          differs = true;
        }
      }
    });
  }
  for (std::thread &thread : running) {
    thread.join();
  }
  for (Status &failure : failures) {
    BP_TRY(std::move(failure));
  }
  return differs ? Status(make_error(ErrorCode::PluginFailure,
                                     "the result of a run differs in bits between {} threads and one", threads))
                 : Status();
}

// --- Two devices of one library ---

Result<Compiled> compile_on(const DevicePointer &device, const ir::Module &module) {
  compile::Options options;
  options.device_only = true;
  options.fold_constants = false;
  return compile::compile(module, device, options);
}

Status expect_result(const Compiled &program, const ConcurrentWork &work, std::string_view when) {
  BP_ASSIGN(const Literal result, program.executable.run(work.arguments));
  return result.identical(work.expected)
             ? Status()
             : Status(make_error(ErrorCode::PluginFailure, "the result of a run differs in bits {}", when));
}

// Runs both programs on different data, first one after the other, then concurrently.
Status run_on_both(const Compiled &one, const Compiled &other, const std::vector<ConcurrentWork> &work, int rounds) {
  for (std::size_t i = 0; i < work.size(); ++i) {
    BP_TRY(expect_result(i % 2 == 0 ? one : other, work[i], "when two devices run in turn"));
  }
  return run_concurrently({&one, &other}, work, rounds);
}

// Creates a device on another instance if there is one with the same target, otherwise on the same instance.
Result<DevicePointer> make_second(const std::shared_ptr<const host::Plugin> &library, const Subject &subject,
                                  const host::Device &first) {
  BP_ASSIGN(const std::uint32_t instances, library->probe(subject.device_id()));
  if (instances > 1) {
    BP_ASSIGN(DevicePointer second, make_device(library, subject, 1));
    if (second->target() == first.target()) {
      return second;
    }
  }
  return make_device(library, subject);
}

// The second device outlives both an older and a younger one.
Status run_on_devices(const Subject &subject, const ir::Module &module, const std::vector<ConcurrentWork> &work) {
  const int rounds = subject.is_full() ? 500 : 20;
  BP_ASSIGN(const std::shared_ptr<const host::Plugin> library, load_library(subject));
  BP_ASSIGN(DevicePointer device, make_device(library, subject));
  std::optional<Compiled> older;
  BP_ASSIGN(older, compile_on(device, module));
  BP_ASSIGN(device, make_second(library, subject, *device));
  BP_ASSIGN(const Compiled second, compile_on(device, module));
  BP_TRY(run_on_both(*older, second, work, rounds));
  older.reset();
  BP_TRY(expect_result(second, work[0], "after an older device was destroyed"));
  {
    BP_ASSIGN(device, make_device(library, subject));
    BP_ASSIGN(const Compiled younger, compile_on(device, module));
    BP_TRY(run_on_both(second, younger, work, rounds));
    device.reset();
  }
  return expect_result(second, work[1], "after a younger device was destroyed");
}

// --- Orders ---

// A part of a run: inputs to the device, the program, or outputs from the device. Each part depends on the one before
// it.
struct Submission {
  std::uint32_t queue;
  std::vector<bp_command_t> commands;
  bp_point_t done{};
  bool is_submitted = false, is_seen = false;
};
struct SubmittedRun {
  std::unique_ptr<DirectRun> run;
  DirectProgram::Outputs outputs;  // filled by copies on a queue, if there is one for copies
  std::vector<Submission> submissions;
};

// Submits the parts of several runs, and waits for their signals, in an order that depends on the seed alone: a signal
// that arrives earlier is not looked at before its turn.
class Order {
 public:
  Order(const host::Device &device, std::vector<SubmittedRun> &runs, std::uint64_t seed)
      : device_(device), runs_(runs), random_(seed) {}
  Order(const Order &) = delete;
  Order &operator=(const Order &) = delete;
  ~Order() {
    for (SubmittedRun &run : runs_) {
      for (Submission &one : run.submissions) {
        if (one.is_submitted && !one.is_seen) {
          static_cast<void>(look_at(one));  // it may still use what is destroyed here
        }
        device_.timelines().destroy(one.done.timeline);
      }
    }
  }

  Status play() {
    while (true) {
      std::vector<Move> moves;
      for (SubmittedRun &run : runs_) {
        Submission *before = nullptr;
        for (Submission &one : run.submissions) {
          if (!one.is_seen && (one.is_submitted || may_follow(before))) {
            moves.push_back({&one, before});
          }
          if (!one.is_submitted) {
            break;
          }
          before = &one;
        }
      }
      if (moves.empty()) {
        return {};
      }
      const Move move = random_.of(moves);
      BP_TRY(move.submission->is_submitted ? look_at(*move.submission) : submit(*move.submission, move.before));
    }
  }

 private:
  struct Move {
    Submission *submission, *before;
  };
  bool may_follow(const Submission *before) const {
    return before == nullptr || before->is_seen || device_.native_sync() != nullptr;
  }

  Status submit(Submission &one, Submission *before) {
    one.done = {device_.timelines().create(), 1};
    host::Diagnostics unheard, diagnostics;
    if (before != nullptr && !before->is_seen && unheard.call([&](const bp_diag_t *diag) {
          return device_.native_sync()->wait(device_.abi(), one.queue, before->done, diag);
        }) != BP_OK) {
      BP_TRY(look_at(*before));  // the queue is not required to wait for this point
    }
    const bp_status status = diagnostics.call([&](const bp_diag_t *diag) {
      return device_.queue()->submit(device_.abi(), one.queue, one.commands.data(),
                                     static_cast<std::uint32_t>(one.commands.size()), one.done, diag);
    });
    one.is_submitted = status == BP_OK;
    return diagnostics.result(status, device_.id(), "submit");
  }

  // Waits without a timeout: the case has a deadline.
  Status look_at(Submission &one) {
    const auto signal = device_.timelines().wait(one.done);
    one.is_seen = true;
    return signal && signal->status == BP_OK
               ? Status()
               : Status(make_error(ErrorCode::PluginFailure, "a submission fails with {}: {}",
                                   host::status_name(signal ? signal->status : BP_INTERNAL),
                                   signal ? signal->message : ""));
  }

  const host::Device &device_;
  std::vector<SubmittedRun> &runs_;
  debugging::Random random_;
};

Result<SubmittedRun> prepare_submissions(const host::Device &device, const DirectProgram &program,
                                         const std::vector<Literal> &arguments) {
  const std::uint32_t copies = device.memory() == nullptr ? BP_NONE : find_queue(device, 1u << BP_COMMAND_COPY);
  const std::uint32_t runs = find_queue(device, 1u << BP_COMMAND_RUN);
  SubmittedRun prepared;
  BP_ASSIGN(prepared.run, program.prepare(arguments, {.has_inputs = copies == BP_NONE}));
  bp_command_t run{};
  run.kind = BP_COMMAND_RUN;
  run.program = program.abi();
  run.run = prepared.run->abi();
  prepared.submissions.push_back({runs, {run}});
  if (copies != BP_NONE) {
    prepared.submissions.insert(prepared.submissions.begin(), {copies, prepared.run->copies_in()});
    prepared.submissions.push_back({copies, prepared.run->copies_out(prepared.outputs)});
  }
  return prepared;
}

// The results must have the same bits in every order.
Result<Verdict> run_in_orders(Subject &subject, const std::string &id, const ir::Module &module,
                              const std::vector<ConcurrentWork> &work) {
  BP_ASSIGN(const Backend *backend, subject.backend());
  const DevicePointer &device = backend->device();
  if (find_queue(*device, 1u << BP_COMMAND_RUN) == BP_NONE) {
    return Verdict{.status = CaseStatus::Unsupported, .message = "no queue runs programs"};
  }
  BP_ASSIGN(const auto parts, DirectParts::compile(device, module));
  BP_ASSIGN(const std::unique_ptr<DirectProgram> program, DirectProgram::load(device, parts));
  std::vector<DirectProgram::Outputs> expected;
  for (const ConcurrentWork &one : work) {
    BP_ASSIGN(DirectProgram::Outputs outputs, program->run(one.arguments, {}));
    expected.push_back(std::move(outputs));
  }
  for (int i = 0; i < (subject.is_full() ? 200 : 10); ++i) {
    std::vector<SubmittedRun> runs;
    for (const ConcurrentWork &one : work) {
      BP_ASSIGN(SubmittedRun run, prepare_submissions(*device, *program, one.arguments));
      runs.push_back(std::move(run));
    }
    BP_TRY(Order(*device, runs, subject.seed_of(fmt::format("{}/{}", id, i))).play());
    for (std::size_t r = 0; r < runs.size(); ++r) {
      BP_ASSIGN(const DirectProgram::Outputs found, runs[r].run->finish());
      if (found != expected[r] || (runs[r].submissions.size() > 1 && runs[r].outputs != expected[r])) {
        return failure("the result of a run differs in bits when other submissions come between its own");
      }
    }
  }
  return Verdict();
}

Result<Verdict> judge(Subject &subject, const std::string &id) {
  const std::size_t begin = id.find('/') + 1, end = id.rfind('/');
  const std::string name = id.substr(begin, end - begin), kind = id.substr(end + 1);
  BP_ASSIGN(const ir::Module module, sample_program(name));
  auto program = subject.compile("concurrency/" + name, module);
  if (!program.ok()) {
    return verdict_of_compilation(subject, module, program.error());
  }
  if (!subject.is_on_device(**program)) {
    return nothing_to_do();
  }
  if (kind == "first") {
    return run_first_together(subject, module, subject.seed_of(name));
  }
  if (kind == "overlap") {
    return run_overlapping(subject, module, subject.seed_of(name));
  }
  if (kind == "many") {
    return run_many_times(subject, module, subject.seed_of(name));
  }
  std::vector<ConcurrentWork> work;
  for (std::uint64_t t = 0; t < threads; ++t) {
    BP_ASSIGN(ConcurrentWork of_thread, make_work(**program, module, subject.seed_of(name) + t));
    work.push_back(std::move(of_thread));
  }
  if (kind == "order") {
    return run_in_orders(subject, id, module, work);
  }
  if (kind == "devices") {
    return verdict_of(run_on_devices(subject, module, work));
  }
  return verdict_of(run_concurrently({program->get()}, work, subject.is_full() ? 500 : 20));
}

std::vector<std::string> list_concurrency(const Subject &subject) {
  std::vector<std::string> ids;
  for (const std::string &name : sample_program_names()) {
    ids.push_back(fmt::format("concurrency/{}/threads", name));
    if (!subject.is_interpreter()) {
      ids.push_back(fmt::format("concurrency/{}/devices", name));
    }
    if (subject.has("bp.queue/1") && subject.has("bp.compiler/1")) {
      ids.push_back(fmt::format("concurrency/{}/order", name));
    }
  }
  if (subject.is_interpreter()) {
    return ids;
  }
  for (const char *name : {"chain", "in_place", "in_place_f32", "constants", "several_results", "sort", "dot"}) {
    ids.push_back(fmt::format("concurrency/{}/first", name));
  }
  for (const std::string &name : large_sample_names()) {
    ids.push_back(fmt::format("concurrency/{}/overlap", name));
  }
  for (const char *name : {"in_place", "in_place_f32"}) {
    ids.push_back(fmt::format("concurrency/{}/many", name));
  }
  return ids;
}

Verdict run_concurrency(Subject &subject, const std::string &id) {
  return verdict_or_error(judge(subject, id));
}

constexpr RuleCases rules_of_concurrency[] = {{"BP-RUN-04", "concurrency/*/many", "bp.compiler/1"}};

}  // namespace

const Stage concurrency_stage = {
    .name = "concurrency",
    .summary = "the same bits when one device or two devices run several programs at the same time",
    .list = list_concurrency,
    .run = run_concurrency,
    .program =
        [](Subject &subject, const std::string &id) {
          const std::size_t begin = id.find('/') + 1;
          return program_of_sample(subject, id, id.substr(begin, id.rfind('/') - begin));
        },
    .shares_programs = true,
    .rules = rules_of_concurrency};

}  // namespace bp::conformance
