// Programs for several devices: simulated on the interpreter, or run on one of them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/backplane.h"

namespace bp::command {

// Prints a note on standard error that a program for several devices runs on one, if that is possible: it has not been
// partitioned.
void warn_if_unpartitioned(const std::string &model, const ir::Module &module);

// Runs the module on the interpreter as `devices` devices, all with the same arguments, and returns their results, by
// replica, then by partition. InvalidInput if the module is for a different number of devices.
Result<std::vector<ir::Literal>> run_on_devices(const ir::Module &module, std::int64_t devices,
                                                std::span<const ir::Literal> arguments);

// Prints each result under a heading: "device 3 (replica 1, partition 1):".
void print_by_device(std::span<const ir::Literal> results, std::int64_t partitions);

}  // namespace bp::command
