// Copies and fills between any two locations, on host or machine. They are commands of the calling thread, as Machine
// has them. Those that read or write memory of the host are complete on return.
#pragma once

#include <cstdint>

#include "backplane/ext/memory.h"
#include "plugin_api/cpp/result.h"
#include "plugins/gpu/machine.h"

namespace bp::gpu {

plugin::Status start_copy(Machine &machine, bp_loc_t to, bp_loc_t from, std::uint64_t size);

// Fills memory with the `pattern_size` (1, 2, 4 or 8) low bytes of `pattern`, over and over.
plugin::Status start_fill(Machine &machine, bp_loc_t to, std::uint64_t size, std::uint64_t pattern,
                          std::uint32_t pattern_size);

}  // namespace bp::gpu
