// The target that code is generated for, as LLVM needs it.
#pragma once

#include <llvm/Target/TargetMachine.h>

#include <memory>
#include <string>

#include "plugin_api/cpp/result.h"
#include "plugins/llvm/supported_llvm.h"
#include "plugins/llvm/vector_target.h"

namespace bp::native {

// The backend initializes LLVM's code generator for it before anything here is called (LLVMInitialize...TargetInfo,
// ...Target, ...TargetMC, ...AsmPrinter, and ...AsmParser for the code of bp_check()).
struct Target {
  std::string triple;    // "riscv64-linux-gnu"
  std::string cpu;       // LLVM's name: "generic-rv64"
  std::string features;  // besides those of the CPU, in LLVM's form: "+m,+a,+f,+d,+c"
  emit::VectorTarget vectors;
};

// Fails with BP_INTERNAL if LLVM has no code generator for the target, does not know its CPU or one of its features, or
// if the vectors are not of a width that the emitters have.
plugin::Result<std::unique_ptr<llvm::TargetMachine>> make_target_machine(const Target &target);

}  // namespace bp::native
