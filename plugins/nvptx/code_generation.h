// Kernels as PTX, or as native code of the host.
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include <string>

namespace bp::nvptx {

// Optimizes the module, which is then of no more use, and writes PTX or an object file. Empty and an error if LLVM
// cannot.
std::string generate_code(llvm::Module &module, llvm::TargetMachine &machine, bool as_text, std::string &error);

}  // namespace bp::nvptx
