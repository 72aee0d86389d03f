// A whole module as LLVM IR. Each control computation becomes a function that calls one kernel function for each
// instruction, in the order of the schedule; while, conditional and call are branches and calls in it. Kernels that
// would be the same code are emitted once. The functions are spread over several LLVM modules, each with a context of
// its own, so that they can be compiled at the same time.
#pragma once

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "plugins/llvm/contraction/contraction.h"
#include "plugins/llvm/fragile.h"
#include "plugins/llvm/module_view.h"

namespace bp::emit {

// `void bp_program(const bp_loc_t *allocations, void *scratch, const Workers *workers)`: runs the entry computation.
// scratch: of the first worker.
inline constexpr const char *entry_name = "bp_program";

// How generated code shares out the work of a large kernel.
struct Workers {
  // A part of a kernel: what it works on, scratch of its own, and which part.
  using Task = void (*)(void *const *pointers, void *scratch, std::int64_t begin, std::int64_t end);
  // Does all of [begin, end) and returns.
  void (*share)(const Workers *workers, Task task, void *const *pointers, void *scratch, std::int64_t begin,
                std::int64_t end);
  void *context;
};

using Entry = void (*)(const bp_loc_t *allocations, void *scratch, const Workers *workers);

struct CodeUnit {
  Fragile<llvm::LLVMContext> context;
  Fragile<llvm::Module> module;
};

struct Program {
  std::vector<CodeUnit> units;
  std::int64_t scratch_bytes = 0;  // of each worker of a run, aligned to 64
  std::int64_t common_bytes = 0;   // of all workers, just before their scratch; a multiple of 64
};

struct ProgramOptions {
  VectorTarget target;
  std::string triple;
  std::string data_layout;
};

struct Problem {
  std::uint32_t instruction = BP_NONE;
  bool unsupported = false;  // else the module breaks a law, or we do
  std::string message;
};

// The module must be at BP_STAGE_FINAL. Empty units and a problem if it cannot be done.
Program emit_program(const ModuleView &module, const ProgramOptions &options, Problem &problem);

}  // namespace bp::emit
