// Two rounds of a loop that hand on what they carry without copying it: the second writes where the first one reads, so
// values go to and fro between two places.
#pragma once

#include <cstdint>
#include <vector>

#include "plugins/gpu/launch_plan.h"
#include "plugins/llvm/module_view.h"

namespace bp::gpu {

// The commands from `first` on are a round of `body`, launches and moves. Adds places to the plan, and returns commands
// that do what two such rounds do, with fewer moves; none if no move can be left out.
std::vector<Command> two_rounds(LaunchPlan &plan, std::uint32_t first, const emit::ModuleView &module,
                                emit::ComputationView body);

}  // namespace bp::gpu
