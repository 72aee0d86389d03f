// A run of a program in memory of its own, with the time it takes and the memory it really takes.
#pragma once

#include <memory>
#include <vector>

#include "core/backplane.h"

namespace bp::command {

struct MeasuredRun {
  std::vector<double> seconds;     // by run
  std::int64_t measured_peak = 0;  // bytes: what the first run took and what the constants hold; -1: not to be measured
};

// Runs `repeat` times. Counts what the whole process takes meanwhile: nothing else must be going on.
Result<MeasuredRun> run_measured(const std::shared_ptr<const Program> &program,
                                 const std::vector<ir::Literal> &arguments, int repeat);

}  // namespace bp::command
