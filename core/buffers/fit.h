// Fit: explains why a program needs more memory than there is.
#pragma once

#include "core/base/result.h"
#include "core/buffers/statistics.h"

namespace bp::buffers {

// Returns the arrays that exist at the peak in a memory space: inputs, outputs and constants, which always exist, and
// temporary values; the largest first. An allocation that belongs to several values is listed once.
std::vector<MemoryStatistics::LiveArray> largest_at_peak(const ir::Module &module, const Plan &plan,
                                                         const MemoryStatistics &statistics, std::int64_t memory_space);

// Returns the bytes of all allocations in a memory space; an output in a donated input is counted once.
std::int64_t bytes_in_space(const Plan &plan, std::int64_t memory_space);

// OutOfMemory if these exceed the capacity: states by how much and at which instruction the peak is, and names the ten
// largest arrays there. The plan must belong to this module.
Status check_fit(const ir::Module &module, const Plan &plan, std::int64_t memory_space, std::int64_t capacity);

}  // namespace bp::buffers
