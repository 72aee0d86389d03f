// Kernels as PTX, or as native code of the host.
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include <string>

namespace bp::nvptx {

void optimize(llvm::Module &module, llvm::TargetMachine &machine);

// PTX or an object file of an optimized module, which is then of no more use. Empty and an error if LLVM cannot.
std::string write_code(llvm::Module &module, llvm::TargetMachine &machine, bool as_text, std::string &error);

}  // namespace bp::nvptx
