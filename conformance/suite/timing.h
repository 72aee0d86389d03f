// Times of things that are measured in turn, so that what disturbs one of them disturbs the others too.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "conformance/report/measurement.h"
#include "conformance/suite/run_clock.h"
#include "core/backplane.h"

namespace bp::conformance {

// Does the work once and says how long that took.
using Timed = std::function<Result<RunClock::Reading>()>;

// When there are enough rounds: after at least `rounds`, and as many more as `seconds` allow; however slow the work is,
// two are made, and no more once `patience` seconds are over. What is quick is done a few times in a round.
struct Effort {
  std::size_t rounds = 5, max_rounds = 25, max_in_a_row = 8;
  double seconds = 0.03, patience = 0.5, seconds_in_a_row = 1e-3;
};

// Each once to warm up, then in turn, with a yardstick between the rounds. In the order given.
Result<std::vector<Measurement>> measure_in_turn(std::span<const Timed> work, const Effort &effort = {});
Result<Measurement> measure(const Timed &work, const Effort &effort = {});

// By the clock on the wall.
Timed on_the_wall(std::function<Status()> work);

// A program with memory of its own and random inputs, ready to run.
class TimedProgram {
 public:
  // The clock is a layer of the backend that compiled the program.
  static Result<std::shared_ptr<TimedProgram>> make(const Compiled &compiled, const Module &module, std::uint64_t seed,
                                                    RunClock *clock);
  // Writes the inputs that a run may change as they were; others keep their memory and what is in it.
  void restore_donated();
  // The run alone, by the best clock there is.
  Result<RunClock::Reading> run();
  // All that a caller waits for: with copies to the device and back. `times` runs count as one.
  Timed call(std::size_t times);

 private:
  TimedProgram(std::shared_ptr<const Program> program, Execution execution, RunClock *clock)
      : program_(std::move(program)), execution_(std::move(execution)), clock_(clock) {}
  std::shared_ptr<const Program> program_;
  Execution execution_;
  std::vector<std::pair<std::size_t, std::vector<std::byte>>> donated_;  // inputs by number, as they were
  RunClock *clock_;
};

}  // namespace bp::conformance
