// For how many devices a program is.
#pragma once

#include "core/ir/module.h"

namespace bp::ir {

// The interpreter's, a thread each.
inline constexpr std::int64_t max_simulated_devices = 256;

// replica_count x num_partitions; the largest number if that is more than an int64 holds.
std::int64_t device_count(const Module &module);

// Whether a program for several devices waits for a partitioner: shardings say how it may be divided, and nothing in it
// tells devices apart. What it computes is then the whole, also on one device.
bool is_unpartitioned(const Module &module);

// Unsupported for a program that needs several devices. Linear in the program, constant where that is for one.
Status check_one_device(const Module &module);

}  // namespace bp::ir
