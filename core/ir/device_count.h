// The number of devices that a program is written for.
#pragma once

#include "core/ir/module.h"

namespace bp::ir {

// Maximum number of devices that run a program together, one thread each.
inline constexpr std::int64_t max_ensemble_devices = 256;

// Returns replica_count x num_partitions; INT64_MAX if the product overflows.
std::int64_t device_count(const Module &module);

// Whether the instruction's result depends on the device that runs it, or on other devices: collectives, transfers
// between devices, replica-id and partition-id.
bool distinguishes_devices(const Instruction &instruction);

// Whether a program for several devices has not been partitioned yet: it has shardings, which say how it may be
// divided, and no instruction that distinguishes devices. It then computes the whole result, also on one device.
bool awaits_partitioner(const Module &module);

// Returns Unsupported for a program that needs several devices. Linear time; constant time for a program for one
// device.
Status check_one_device(const Module &module);

}  // namespace bp::ir
