// Programs for several devices, as commands show them.
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

// Returns InvalidInput unless the module is for so many devices.
Status check_device_count(const ir::Module &module, std::int64_t devices);

// Prints each result under a heading: "device 3 (replica 1, partition 1):".
void print_by_device(std::span<const ir::Literal> results, std::int64_t partitions);

}  // namespace bp::command
