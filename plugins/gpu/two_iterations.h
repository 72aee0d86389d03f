// Two iterations of a loop that pass on carried values without copying them: the second iteration writes where the
// first one reads, so the values alternate between two memory ranges.
#pragma once

#include <cstdint>
#include <vector>

#include "plugins/gpu/launch_plan.h"
#include "plugins/llvm/module_view.h"

namespace bp::gpu {

// The commands from `first` on are one iteration of `body`, launches and moves. Adds ranges to the plan, and returns
// commands that do the work of two such iterations with fewer moves; nothing if no move can be left out.
std::vector<Command> two_iterations(LaunchPlan &plan, std::uint32_t first, const emit::ModuleView &module,
                                    emit::ComputationView body);

}  // namespace bp::gpu
