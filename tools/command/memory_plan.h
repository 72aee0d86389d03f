// The memory plan of a model, for `backplane memory`.
#pragma once

#include <cstdint>
#include <vector>

#include "core/backplane.h"
#include "core/buffers/fit.h"
#include "core/buffers/statistics.h"
#include "core/buffers/updates.h"
#include "tools/command/backend_choice.h"

namespace bp::command {

// One planned model with its figures.
struct Planned {
  ir::Module module;
  buffers::Plan plan;
  buffers::MemoryStatistics statistics;
  std::vector<buffers::OutOfPlaceUpdate> updates;
  std::int64_t peak = 0;  // bytes of the plan and the scratch
  // The figures below are those of a device, and 0 without one.
  std::size_t programs = 0;          // number of programs; this one needs the most memory
  std::int64_t scratch = 0;          // bytes that the backend requests in addition to the plan
  std::int64_t scratch_in_main = 0;  // the part of `scratch` in memory space 0
  std::int64_t staging = 0;          // runtime::MemoryFigures::staging

  // Returns the number of bytes needed in memory space 0.
  std::int64_t needed() const { return buffers::bytes_in_space(plan, 0) + scratch_in_main; }
};

// Plans the module as a run on the backend would. If possible the plan is kept within the capacity by recomputing cheap
// values (0: no limit). Without a backend, the module is planned as it is after the default passes.
Result<Planned> plan_memory(ir::Module module, const BackendChoice &choice, std::int64_t capacity);

}  // namespace bp::command
