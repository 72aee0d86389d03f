// A run of a program in memory of its own, with the time it takes and the memory it really takes.
#pragma once

#include <memory>
#include <vector>

#include "core/backplane.h"

namespace bp::command {

// As runtime::MemoryFigures has them, in bytes; -1: not to be measured.
struct MeasuredMemory {
  std::int64_t peak = 0;     // what the first run took where the program works, and what the constants hold
  std::int64_t staging = 0;  // what was taken for it in the host's memory, if that is another
};

struct MeasuredRun {
  std::vector<double> seconds;  // by run
  MeasuredMemory memory;
};

// Counts what is taken of a device's memory; has to be the lowest layer of the backend.
host::Layer device_memory_counter();

// Runs `repeat` times. Counts what the whole process takes meanwhile: nothing else must be going on.
Result<MeasuredRun> run_measured(const std::shared_ptr<const Program> &program,
                                 const std::vector<ir::Literal> &arguments, int repeat);

}  // namespace bp::command
