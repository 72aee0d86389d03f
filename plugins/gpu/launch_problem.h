// Which instructions can be launched on a target.
#pragma once

#include <string>

#include "plugins/gpu/target.h"
#include "plugins/llvm/module_view.h"

namespace bp::gpu {

// Returns why an instruction cannot be launched on the target, which includes what emit::kernel_problem() says; empty
// if it can.
std::string launch_problem(emit::InstructionView instruction, const Target &target);

}  // namespace bp::gpu
