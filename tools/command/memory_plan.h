// The plan of a model's memory that `backplane memory` tells about.
#pragma once

#include <cstdint>
#include <vector>

#include "core/backplane.h"
#include "core/buffers/fit.h"
#include "core/buffers/statistics.h"
#include "core/buffers/updates.h"
#include "tools/command/backend_choice.h"

namespace bp::command {

// All there is to tell about one planned model.
struct Planned {
  ir::Module module;
  buffers::Plan plan;
  buffers::MemoryStatistics statistics;
  std::vector<buffers::OutOfPlaceUpdate> updates;
  std::int64_t peak = 0;  // bytes: of the plan and the scratch
  // These are a device's figures, and 0 without one.
  std::size_t programs = 0;          // of which this is the one that needs most
  std::int64_t scratch = 0;          // what the backend asks for beside the plan
  std::int64_t scratch_in_main = 0;  // of that, what is in memory space 0
  std::int64_t staging = 0;          // runtime::MemoryFigures::staging

  // Bytes in memory space 0.
  std::int64_t needed() const { return buffers::bytes_in_space(plan, 0) + scratch_in_main; }
};

// As a run on the backend has it; within the capacity, by computing cheap values again, if that can be (0: any number
// of bytes). Without a name of a backend, as the module is after the default passes.
Result<Planned> plan_memory(ir::Module module, const BackendChoice &choice, std::int64_t capacity);

}  // namespace bp::command
