// A run of a program in its own memory, measuring the time and the memory that it really uses.
#pragma once

#include <memory>
#include <vector>

#include "core/backplane.h"

namespace bp::command {

// Bytes, corresponding to runtime::MemoryFigures; -1: could not be measured.
struct MeasuredMemory {
  std::int64_t peak = 0;     // peak of the first run in the memory in which the program works, plus the constants
  std::int64_t staging = 0;  // memory allocated for it on the host, if the program works in another memory
};

struct MeasuredRun {
  std::vector<double> seconds;  // by run
  MeasuredMemory memory;
};

// Returns a layer that counts allocated device memory; must be the lowest layer of the backend.
host::Layer device_memory_counter();

// Runs the program `repeat` times, on these terms. Counts the allocations of the whole process meanwhile, so no other
// activity is allowed.
Result<MeasuredRun> run_measured(const std::shared_ptr<const Program> &program,
                                 const std::vector<ir::Literal> &arguments, int repeat, const RunTerms &terms = {});

}  // namespace bp::command
