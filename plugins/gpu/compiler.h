// Compiler: makes a launch plan and a module of kernels of a module. It uses no hardware.
#pragma once

#include <llvm/IR/Module.h>

#include "plugin_api/cpp/result.h"
#include "plugins/gpu/launch_plan.h"
#include "plugins/gpu/threads.h"
#include "plugins/llvm/module_view.h"

namespace bp::gpu {

// Returns the plan, and emits its kernels into `code`, whose triple and data layout are set. Fails with BP_UNSUPPORTED
// for an instruction that a GPU cannot run, with BP_INVALID if the module is not at BP_STAGE_FINAL, and with
// BP_INTERNAL if module or emitter are wrong.
plugin::Result<LaunchPlan> compile(const emit::ModuleView &module, const Threads &threads, llvm::Module &code);

}  // namespace bp::gpu
