// The code of a program: LLVM modules, each with a context of its own, so that they can be compiled in parallel.
#pragma once

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <cstdint>
#include <string>
#include <vector>

#include "plugins/llvm/fragile.h"
#include "plugins/llvm/vector_target.h"

namespace bp::emit {

struct CodeUnit {
  Fragile<llvm::LLVMContext> context;
  Fragile<llvm::Module> module;
};

struct Program {
  std::vector<CodeUnit> units;
  std::int64_t scratch_bytes = 0;  // per thread of a run, aligned to 64
  std::int64_t common_bytes = 0;   // shared by all threads, just before their scratch; a multiple of 64
};

struct ProgramOptions {
  VectorTarget target;
  std::string triple;
  std::string data_layout;
  bool in_one_unit = false;  // to be read by people, rather than compiled in parallel
};

}  // namespace bp::emit
