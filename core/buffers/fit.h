// Fit: what is in the way of a program that needs more memory than there is.
#pragma once

#include "core/base/result.h"
#include "core/buffers/statistics.h"

namespace bp::buffers {

// What is there at the peak in a memory space: inputs, outputs and constants, which always are, and temporary values;
// the largest first. An allocation that several values name is listed once.
std::vector<MemoryStatistics::LiveArray> largest_at_peak(const ir::Module &module, const Plan &plan,
                                                         const MemoryStatistics &statistics, std::int64_t memory_space);

// The bytes of all allocations in a space, an output in a donated input counted once.
std::int64_t bytes_in_space(const Plan &plan, std::int64_t memory_space);

// OutOfMemory if they are more than the capacity: says by how much, at which instruction the peak is, and names the ten
// largest arrays there. The plan must be one for this module.
Status check_fit(const ir::Module &module, const Plan &plan, std::int64_t memory_space, std::int64_t capacity);

}  // namespace bp::buffers
