// The host as a target of code generation: emulated kernels are code for the processor of this process.
#pragma once

#include <llvm/Target/TargetMachine.h>

#include <memory>
#include <string>

#include "plugin_api/cpp/result.h"

namespace bp::gpu {

// Makes LLVM know the host: needed to link code too, also in a process that has compiled none. Threads: any.
void register_host_target();
// Fails if LLVM has no code generator for the host. Threads: any.
plugin::Result<std::unique_ptr<llvm::TargetMachine>> make_host_machine();
// Text that differs between hosts whose code differs.
std::string host_text();

}  // namespace bp::gpu
