// The trip counts of loops, where they can be read off the final module. core/analysis/trip_count.h finds them before
// loops are fused and given memory.
#pragma once

#include <cstdint>
#include <optional>

#include "plugins/llvm/module_view.h"

namespace bp::gpu {

// Returns the number of iterations of a while in which an integer counts from a constant by a constant to a constant,
// even if the compiler has fused that with other operations: i = 0; while (i < 10) { ...; i = i + 1; }. Returns nothing
// if the number cannot be determined, if the counter would wrap around, or if the condition has an effect.
std::optional<std::uint64_t> trip_count(emit::InstructionView loop);

}  // namespace bp::gpu
