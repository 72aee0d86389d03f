// Statistics: the cost of a plan, and what determines it.
#pragma once

#include <vector>

#include "core/base/result.h"
#include "core/buffers/plan.h"

namespace bp::buffers {

struct MemoryStatistics {
  std::int64_t input_bytes = 0, output_bytes = 0, temporary_bytes = 0, constant_bytes = 0;
  std::int64_t donated_bytes = 0;  // bytes of inputs that outputs alias; not included in output_bytes
  std::int64_t total_bytes = 0;    // the predicted peak: Plan::total_bytes()
  // The maximum number of bytes of values in temporary allocations that are needed at one time, summed over memory
  // spaces: no packing needs less.
  std::int64_t temporary_lower_bound = 0;
  std::int64_t fragmentation_bytes() const { return temporary_bytes - temporary_lower_bound; }

  struct LiveArray {
    ir::InstructionId instruction = ir::no_instruction;
    std::uint32_t position = 0;
    Slice slice;
  };
  // The values at the time at which most bytes are needed in all spaces together, the largest first, and an instruction
  // that runs at that time; none if there are no temporary values.
  std::vector<LiveArray> live_at_peak;
  ir::InstructionId peak = ir::no_instruction;
  std::uint32_t peak_tick = 0;  // of the flattened schedule (live_range.h)
  // By tick, at each change: the bytes of temporary values needed from then on.
  std::vector<std::pair<std::uint32_t, std::int64_t>> live_bytes;
};

// The plan must belong to this module. Fails with the errors of assign().
Result<MemoryStatistics> measure(const ir::Module &module, const Plan &plan);

}  // namespace bp::buffers
