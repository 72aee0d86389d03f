// Trials of points: submissions without commands, large values of timelines, and submissions that wait for several
// points, or for one that has failed already.
#include <fmt/format.h>

#include <array>
#include <optional>
#include <utility>

#include "conformance/suite/contract_trials.h"
#include "conformance/suite/direct_program.h"
#include "conformance/suite/sample_programs.h"
#include "conformance/suite/stage.h"
#include "conformance/suite/submissions.h"
#include "core/host/diagnostics.h"
#include "core/interpreter/random_inputs.h"

namespace bp::conformance {
namespace {

// --- BP-SUBMIT-03: a submission without commands ---

Result<Verdict> submit_nothing(Subject &subject) {
  BP_ASSIGN(const Backend *backend, subject.backend());
  const host::Device &device = *backend->device();
  Submissions submissions(device);
  for (std::uint32_t queue = 0; queue < device.queue()->queue_count; ++queue) {
    for (int i = 0; i < 3; ++i) {
      BP_TRY(submissions.run(queue, {}));
    }
  }
  return Verdict();
}
Verdict submits_nothing(Subject &subject) {
  return verdict_or_error(submit_nothing(subject));
}

// --- BP-SIGNAL-01: values of timelines beyond 32 bits ---

Result<Verdict> signal_large_values(Subject &subject) {
  BP_ASSIGN(const Backend *backend, subject.backend());
  const host::Device &device = *backend->device();
  Submissions submissions(device);
  for (std::uint32_t queue = 0; queue < device.queue()->queue_count; ++queue) {
    for (const std::uint64_t value :
         {std::uint64_t{1} << 31, (std::uint64_t{1} << 32) + 1, (std::uint64_t{5} << 52) + 3, ~std::uint64_t{0}}) {
      BP_ASSIGN(const bp_point_t point, submissions.submit(queue, {}, value));
      if (device.native_sync() != nullptr) {
        BP_TRY(submissions.wait(queue, point));
        BP_TRY(submissions.run(queue, {}));
      }
      BP_ASSIGN(const host::Signal signal, submissions.signal_of(point));
      if (signal.status != BP_OK) {
        return failure(
            fmt::format("BP-SIGNAL-01: point {} is signalled with {}", value, host::status_name(signal.status)));
      }
    }
  }
  return Verdict();
}
Verdict signals_large_values(Subject &subject) {
  return verdict_or_error(signal_large_values(subject));
}

// --- BP-WAIT-01: several points, and points that have failed already ---

// A program on a queue, and its inputs and outputs by copies on another.
struct Work {
  DevicePointer device;
  std::uint32_t copies, runs;
  std::unique_ptr<DirectProgram> program;
  std::vector<Literal> arguments;
  DirectProgram::Outputs expected;

  Result<std::unique_ptr<DirectRun>> prepare() const { return program->prepare(arguments, {.has_inputs = false}); }
  bp_command_t run_command(const DirectRun &run) const {
    bp_command_t command{};
    command.kind = BP_COMMAND_RUN;
    command.program = program->abi();
    command.run = run.abi();
    return command;
  }
};

Result<Work> make_work(Subject &subject) {
  BP_ASSIGN(const ir::Module module, first_supported_sample(subject));
  BP_ASSIGN(const Backend *backend, subject.backend());
  const DevicePointer &device = backend->device();
  const std::uint32_t copies = device->memory() == nullptr ? BP_NONE : find_queue(*device, 1u << BP_COMMAND_COPY);
  std::uint32_t runs = BP_NONE;
  for (std::uint32_t i = 0; i < device->queue()->queue_count && (runs == BP_NONE || runs == copies); ++i) {
    runs = find_queue(*device, 1u << BP_COMMAND_RUN, i);  // another one, if there is one
  }
  if (copies == BP_NONE || runs == BP_NONE) {
    return make_error(ErrorCode::Unsupported, "the queues do not both copy and run programs");
  }
  BP_ASSIGN(const auto parts, DirectParts::compile(device, module));
  Work work{device, copies, runs, nullptr, {}, {}};
  BP_ASSIGN(work.program, DirectProgram::load(device, parts));
  BP_ASSIGN(work.arguments, interpreter::random_arguments(module, subject.seed_of("points")));
  BP_ASSIGN(work.expected, work.program->run(work.arguments, {}));
  return work;
}

// The inputs arrive after long copies, and a point before these is reached early: a run that waits for both, in any
// order, must not begin before the inputs are there.
Result<Verdict> wait_for_several(Subject &subject) {
  constexpr std::uint64_t long_bytes = 4 << 20;
  BP_ASSIGN(const Work work, make_work(subject));
  const host::Device &device = *work.device;
  BP_ASSIGN(const runtime::Block target, runtime::Block::allocate_on(device, 0, long_bytes));
  const std::vector<std::byte> source(long_bytes);
  const bp_command_t slow = copy_command(target.location(), runtime::host_location(source.data()), long_bytes);
  for (int round = 0; round < 6; ++round) {
    BP_ASSIGN(const std::unique_ptr<DirectRun> run, work.prepare());
    Submissions submissions(device);
    BP_ASSIGN(const bp_point_t early, submissions.submit(work.copies, {}));
    BP_ASSIGN([[maybe_unused]] const host::Signal reached, submissions.signal_of(early));
    std::vector<bp_command_t> commands(4, slow);
    const std::vector<bp_command_t> inputs = run->copies_in();
    commands.insert(commands.end(), inputs.begin(), inputs.end());
    BP_ASSIGN(const bp_point_t late, submissions.submit(work.copies, commands));
    for (const bp_point_t point : round % 2 == 0 ? std::array{late, early} : std::array{early, late}) {
      BP_TRY(submissions.wait(work.runs, point));
    }
    const bp_command_t command = work.run_command(*run);
    BP_TRY(submissions.run(work.runs, {&command, 1}));
    const auto found = run->finish();
    if (!found.ok() || *found != work.expected) {
      return failure("BP-WAIT-01: a run that waits for two points begins before one of them is reached");
    }
  }
  return Verdict();
}
Verdict waits_for_several(Subject &subject) {
  return verdict_or_error(wait_for_several(subject));
}

// Returns a point that has failed, because no memory has the handle that its copy writes to; nothing if the device
// refuses such a copy.
Result<std::optional<std::pair<bp_point_t, bp_status>>> fail_once(const Work &work, Submissions &submissions) {
  const std::byte source{1};
  const bp_command_t wrong = copy_command({~std::uint64_t{0}, 0}, runtime::host_location(&source), 1);
  const auto point = submissions.submit(work.copies, {&wrong, 1});
  if (!point.ok()) {
    return std::optional<std::pair<bp_point_t, bp_status>>();
  }
  BP_ASSIGN(const host::Signal signal, submissions.signal_of(*point));
  return std::optional(std::pair(*point, signal.status));
}

// The first of two points, or the only one, had failed before wait() was called; in the last round, many others have
// failed since.
Result<Verdict> wait_for_failed(Subject &subject, bool with_others) {
  constexpr int rounds = 3, later_failures = 250;
  BP_ASSIGN(const Work work, make_work(subject));
  BP_ASSIGN(const std::unique_ptr<DirectRun> run, work.prepare());
  Submissions submissions(*work.device);
  BP_TRY(submissions.run(work.copies, run->copies_in()));
  const bp_command_t command = work.run_command(*run);
  for (int round = 0; round < rounds; ++round) {
    BP_ASSIGN(const auto failed, fail_once(work, submissions));
    if (!failed || failed->second == BP_OK) {
      return Verdict{.status = CaseStatus::Unsupported, .message = "no copy can be made to fail"};
    }
    for (int later = 0; round + 1 == rounds && later < later_failures; ++later) {
      BP_TRY(fail_once(work, submissions));
    }
    std::vector<bp_point_t> points = {failed->first};
    if (with_others) {
      BP_ASSIGN(const bp_point_t fine, submissions.submit(work.copies, {}));
      points.insert(round % 2 == 0 ? points.end() : points.begin(), fine);
    }
    // All who wait for it fail.
    for (int number = 1; number <= 3; ++number) {
      for (const bp_point_t point : points) {
        BP_TRY(submissions.wait(work.runs, point));
      }
      BP_ASSIGN(const bp_point_t done, submissions.submit(work.runs, {&command, 1}));
      BP_ASSIGN(const host::Signal signal, submissions.signal_of(done));
      if (signal.status != failed->second) {
        return failure(
            fmt::format("BP-WAIT-01: run {} of those that wait for a point that has failed with {} ends with {}{}{}",
                        number, host::status_name(failed->second), host::status_name(signal.status),
                        with_others ? ", if it waits for another point too" : "",
                        round + 1 == rounds ? fmt::format(", after {} later failures", later_failures) : ""));
      }
      // The failure concerns that submission alone.
      BP_TRY(submissions.run(work.runs, {&command, 1}));
    }
  }
  return Verdict();
}
Verdict fails_with_past(Subject &subject) {
  return verdict_or_error(wait_for_failed(subject, false));
}
Verdict fails_with_any(Subject &subject) {
  return verdict_or_error(wait_for_failed(subject, true));
}

constexpr ContractTrial point_table[] = {
    {"BP-SUBMIT-03/nothing", "bp.queue/1", submits_nothing},
    {"BP-SIGNAL-01/large", "bp.queue/1", signals_large_values},
    {"BP-WAIT-01/several", "bp.native-sync/1", waits_for_several},
    {"BP-WAIT-01/failure_before", "bp.native-sync/1", fails_with_past},
    {"BP-WAIT-01/failure_of_several", "bp.native-sync/1", fails_with_any},
};

}  // namespace

const std::span<const ContractTrial> point_trials = point_table;

}  // namespace bp::conformance
