// The number of devices that a program is written for.
#pragma once

#include "core/ir/module.h"

namespace bp::ir {

// Maximum number of devices that the interpreter simulates, one thread each.
inline constexpr std::int64_t max_simulated_devices = 256;

// Returns replica_count x num_partitions; INT64_MAX if the product overflows.
std::int64_t device_count(const Module &module);

// Whether a program for several devices has not been partitioned yet: it has shardings, which say how it may be
// divided, and no instruction that distinguishes devices. It then computes the whole result, also on one device.
bool awaits_partitioner(const Module &module);

// Returns Unsupported for a program that needs several devices. Linear time; constant time for a program for one
// device.
Status check_one_device(const Module &module);

}  // namespace bp::ir
