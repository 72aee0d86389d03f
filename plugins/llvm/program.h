// Emits a whole module as LLVM IR. Each control computation becomes a function that calls one kernel function for each
// instruction, in the order of the schedule; while, conditional and call become branches and calls in it. Kernels with
// the same code are emitted once. The functions are spread over several LLVM modules, each with a context of its own,
// so that they can be compiled in parallel.
#pragma once

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "plugins/llvm/fragile.h"
#include "plugins/llvm/module_view.h"
#include "plugins/llvm/vector_target.h"

namespace bp::emit {

// Name of `void bp_program(const bp_loc_t *allocations, void *scratch, const Workers *workers)`, which runs the entry
// computation. scratch: the scratch memory of the first worker.
inline constexpr const char *entry_name = "bp_program";

// The functions that generated code calls: to divide the work of a large kernel among workers, and to learn whether to
// go on.
struct Workers {
  // Function that runs the part [begin, end) of a kernel on the memory at `pointers`, with scratch of its own.
  using Task = void (*)(void *const *pointers, void *scratch, std::int64_t begin, std::int64_t end);
  // Runs all of [begin, end) and returns when it is done.
  void (*share)(const Workers *workers, Task task, void *const *pointers, void *scratch, std::int64_t begin,
                std::int64_t end);
  // If not null, called before each iteration of a loop and each part of a long computation: whether the run is to end
  // early. The code then returns without doing more.
  bool (*is_over)(const Workers *workers);
  void *context;
};

using Entry = void (*)(const bp_loc_t *allocations, void *scratch, const Workers *workers);

struct CodeUnit {
  Fragile<llvm::LLVMContext> context;
  Fragile<llvm::Module> module;
};

struct Program {
  std::vector<CodeUnit> units;
  std::int64_t scratch_bytes = 0;  // per worker of a run, aligned to 64
  std::int64_t common_bytes = 0;   // shared by all workers, just before their scratch; a multiple of 64
};

struct ProgramOptions {
  VectorTarget target;
  std::string triple;
  std::string data_layout;
};

// Emits the program of a module at BP_STAGE_FINAL. Fails with BP_UNSUPPORTED for an instruction without a kernel, with
// BP_INVALID if the module is at another stage, and with BP_INTERNAL if module or emitter are wrong.
plugin::Result<Program> emit_program(const ModuleView &module, const ProgramOptions &options);

}  // namespace bp::emit
