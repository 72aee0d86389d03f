// Times of several pieces of work measured in turn, so that a disturbance affects all of them alike.
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

// Does the work once and returns the time it took.
using Timed = std::function<Result<RunClock::Reading>()>;

// Number of rounds to measure: at least `rounds`, and more as long as `seconds` have not passed, up to `max_rounds`.
// Slow work is measured at least twice, and not again once `patience` seconds have passed. Quick work is repeated
// within a round: up to `max_in_a_row` times, for up to `seconds_in_a_row`.
struct Effort {
  std::size_t rounds = 5, max_rounds = 25, max_in_a_row = 8;
  double seconds = 0.03, patience = 0.5, seconds_in_a_row = 1e-3;
};

// Runs each piece of work once to warm up, then all in turn; each turn also measures a fixed piece of work
// (Measurement::reference_seconds). Results are in the order of `work`.
Result<std::vector<Measurement>> measure_in_turn(std::span<const Timed> work, const Effort &effort = {});
Result<Measurement> measure(const Timed &work, const Effort &effort = {});

// Measures by wall-clock time.
Timed on_the_wall(std::function<Status()> work);

// A program with its own memory and random inputs, ready to run.
class TimedProgram {
 public:
  // The clock must be a layer of the backend that compiled the program; it may be nullptr.
  static Result<std::shared_ptr<TimedProgram>> make(const Compiled &compiled, const Module &module, std::uint64_t seed,
                                                    RunClock *clock);
  // Restores the inputs that a run may overwrite; other inputs keep their memory and contents.
  void restore_donated();
  // Replaces the contents of all inputs, by parameter number. The arguments must have the shapes of the parameters.
  void set_inputs(std::span<const Literal> arguments);
  // Sets every byte of the outputs; those that share memory with an input too, so set the inputs afterwards.
  void fill_outputs(std::byte value);
  // Returns the bytes of all outputs, one after the other.
  std::vector<std::byte> outputs() const;
  // Times the run alone, by the most precise clock available.
  Result<RunClock::Reading> run();
  // Returns work that includes everything a caller waits for: also the copies to the device and back. `times` runs
  // count as one.
  Timed call(std::size_t times);

 private:
  TimedProgram(std::shared_ptr<const Program> program, Execution execution, RunClock *clock)
      : program_(std::move(program)), execution_(std::move(execution)), clock_(clock) {}
  std::shared_ptr<const Program> program_;
  Execution execution_;
  std::vector<std::pair<std::size_t, std::vector<std::byte>>> donated_;  // original contents by input number
  RunClock *clock_;
};

}  // namespace bp::conformance
