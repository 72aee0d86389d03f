// Compiler: makes a launch plan and a module of kernels of a module. It uses no hardware.
#pragma once

#include <llvm/IR/Module.h>

#include "plugins/gpu/launch_plan.h"
#include "plugins/gpu/threads.h"
#include "plugins/llvm/module_view.h"
#include "plugins/llvm/program.h"

namespace bp::gpu {

// Emits the kernels into `code`, whose triple and data layout are set. Returns false and sets the problem if it cannot
// be done. The module must be at BP_STAGE_FINAL.
bool compile(const emit::ModuleView &module, const Threads &threads, llvm::Module &code, LaunchPlan &plan,
             emit::Problem &problem);

}  // namespace bp::gpu
