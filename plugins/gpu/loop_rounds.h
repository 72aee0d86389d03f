// How often a while runs its body, where that can be read off the final module: core/analysis/trip_count.h reads the same
// before loops are fused and given memory.
#pragma once

#include <cstdint>
#include <optional>

#include "plugins/llvm/module_view.h"

namespace bp::gpu {

// The number of rounds of a while of which one integer counts from a constant by a constant to a constant, also where
// the compiler has fused that with other things: i = 0; while (i < 10) { ...; i = i + 1; }. Nothing if that cannot be
// told, if the counter would wrap around, or if the condition does something beside.
std::optional<std::uint64_t> loop_rounds(emit::InstructionView loop);

}  // namespace bp::gpu
