// Compiler: makes a launch plan and a module of kernels of a module. It uses no hardware.
#pragma once

#include <llvm/IR/Module.h>

#include <string>

#include "plugins/gpu/launch_plan.h"
#include "plugins/gpu/target.h"
#include "plugins/gpu/threads.h"
#include "plugins/llvm/module_view.h"
#include "plugins/llvm/program.h"

namespace bp::gpu {

// Returns why an instruction cannot be launched on the target, which includes what emit::kernel_problem() says; empty
// if it can.
std::string launch_problem(emit::InstructionView instruction, const Target &target);

// Emits the kernels into `code`, whose triple and data layout are set. Returns false and sets the problem if it cannot
// be done. The module must be at BP_STAGE_FINAL.
bool compile(const emit::ModuleView &module, const Threads &threads, llvm::Module &code, LaunchPlan &plan,
             emit::Problem &problem);

}  // namespace bp::gpu
