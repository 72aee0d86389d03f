#include "conformance/suite/timing.h"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "core/interpreter/random_inputs.h"
#include "core/ir/storage.h"

namespace bp::conformance {
namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double median(std::vector<double> values) {
  if (values.empty()) {
    return 0;
  }
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Moves a MiB and does a chain of arithmetic: takes about a tenth of a millisecond on an idle machine.
double reference_seconds() {
  static std::vector<std::uint64_t> from(1 << 17, 3), to(1 << 17);
  const double start = now();
  std::memcpy(to.data(), from.data(), from.size() * sizeof(from[0]));
  std::uint64_t state = to[1000];
  for (int i = 0; i < 30'000; ++i) {
    state = state * 6364136223846793005 + 1442695040888963407;
  }
  from[1000] = state | 1;
  return now() - start;
}

Measurement measurement_of(const std::vector<double> &seconds, double reference, bool is_of_device) {
  Measurement result;
  result.seconds = median(seconds);
  std::vector<double> distances;
  for (const double one : seconds) {
    distances.push_back(std::abs(one - result.seconds));
  }
  result.spread = median(std::move(distances));
  result.least = *std::ranges::min_element(seconds);
  result.runs = seconds.size();
  result.is_of_device = is_of_device;
  result.reference_seconds = is_of_device ? 0 : reference;
  return result;
}

// Writes the arrays of a literal to the inputs from `leaf` on.
void store_leaves(const Literal &literal, const Program &program, Execution &execution, std::size_t &leaf) {
  if (literal.shape().is_array()) {
    ir::store(literal, program.inputs()[leaf].shape, execution.input(leaf));
    ++leaf;
  }
  for (const Literal &element : literal.tuple_elements()) {
    store_leaves(element, program, execution, leaf);
  }
}

}  // namespace

Result<std::vector<Measurement>> measure_in_turn(std::span<const Timed> work, const Effort &effort) {
  std::vector<std::vector<double>> seconds(work.size());
  std::vector<bool> is_of_device(work.size());
  std::vector<double> references;
  for (const Timed &one : work) {
    BP_ASSIGN([[maybe_unused]] const RunClock::Reading warm, one());
  }
  const double start = now();
  for (std::size_t round = 0; round < effort.max_rounds; ++round) {
    const double spent = now() - start;
    if ((round >= effort.rounds && spent > effort.seconds) || (round >= 2 && spent > effort.patience)) {
      break;
    }
    references.push_back(reference_seconds());
    for (std::size_t i = 0; i < work.size(); ++i) {
      const double begin = now();
      for (std::size_t k = 0; k < effort.max_in_a_row && (k == 0 || now() - begin < effort.seconds_in_a_row); ++k) {
        BP_ASSIGN(const RunClock::Reading reading, work[i]());
        seconds[i].push_back(reading.seconds);
        is_of_device[i] = reading.is_of_device;
      }
    }
  }
  std::vector<Measurement> results;
  for (std::size_t i = 0; i < work.size(); ++i) {
    results.push_back(measurement_of(seconds[i], median(references), is_of_device[i]));
  }
  return results;
}

Result<Measurement> measure(const Timed &work, const Effort &effort) {
  BP_ASSIGN(const std::vector<Measurement> results, measure_in_turn({&work, 1}, effort));
  return results[0];
}

Timed on_the_wall(std::function<Status()> work) {
  return [work = std::move(work)]() -> Result<RunClock::Reading> {
    const double start = now();
    BP_TRY(work());
    return RunClock::Reading{now() - start, false};
  };
}

Result<std::shared_ptr<TimedProgram>> TimedProgram::make(const Compiled &compiled, const Module &module,
                                                         std::uint64_t seed, RunClock *clock) {
  const std::shared_ptr<const Program> &program = compiled.executable.program();
  BP_ASSIGN(const std::vector<Literal> arguments, interpreter::random_arguments(module, seed));
  Execution execution = Execution::prepare(program);
  BP_TRY(execution.allocate());
  auto made = std::shared_ptr<TimedProgram>(new TimedProgram(program, std::move(execution), clock));
  made->set_inputs(arguments);
  for (std::size_t i = 0; i < program->inputs().size(); ++i) {
    if (program->is_donated(i)) {
      const std::span<const std::byte> bytes = made->execution_.input(i);
      made->donated_.emplace_back(i, std::vector(bytes.begin(), bytes.end()));
    }
  }
  return made;
}

void TimedProgram::restore_donated() {
  for (const auto &[input, bytes] : donated_) {
    std::ranges::copy(bytes, execution_.input(input).begin());
  }
}

void TimedProgram::set_inputs(std::span<const Literal> arguments) {
  std::size_t leaf = 0;
  for (const Literal &argument : arguments) {
    store_leaves(argument, *program_, execution_, leaf);
  }
}

void TimedProgram::fill_outputs(std::byte value) {
  for (std::size_t leaf = 0; leaf < program_->outputs().size(); ++leaf) {
    std::ranges::fill(execution_.output(leaf), value);
  }
}

std::vector<std::byte> TimedProgram::outputs() const {
  std::vector<std::byte> bytes;
  for (std::size_t leaf = 0; leaf < program_->outputs().size(); ++leaf) {
    const std::span<const std::byte> output = execution_.output(leaf);
    bytes.insert(bytes.end(), output.begin(), output.end());
  }
  return bytes;
}

Result<RunClock::Reading> TimedProgram::run() {
  const double start = now();
  BP_TRY(execution_.run());
  const double seconds = now() - start;
  return (clock_ == nullptr ? std::nullopt : clock_->take()).value_or(RunClock::Reading{seconds, false});
}

Timed TimedProgram::call(std::size_t times) {
  return [this, times]() -> Result<RunClock::Reading> {
    const double start = now();
    for (std::size_t i = 0; i < times; ++i) {
      BP_TRY(execution_.run());
    }
    return RunClock::Reading{(now() - start) / static_cast<double>(times), false};
  };
}

}  // namespace bp::conformance
