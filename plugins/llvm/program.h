// Emits a whole module as LLVM IR. Each control computation becomes a function that calls one kernel function for each
// instruction, in the order of the schedule; while, conditional and call become branches and calls in it. Kernels with
// the same code are emitted once. The functions are spread over several LLVM modules, each with a context of its own,
// so that they can be compiled in parallel.
#pragma once

#include "backplane/ext/draft/aot.h"
#include "plugins/llvm/code_units.h"
#include "plugins/llvm/module_view.h"

namespace bp::emit {

// Name of the function that runs the entry computation (backplane/ext/draft/aot.h). Its scratch memory is that of the
// first thread.
inline constexpr const char *entry_name = "bp_program";
using Entry = void (*)(const bp_loc_t *allocations, void *scratch, const bp_aot_caller_t *caller);

// Attribute of functions with variables of small loops (small_loop.h), and with calls to be inlined.
inline constexpr const char *keeps_variables = "bp-keeps-variables";

// Emits the program of a module at BP_STAGE_FINAL. Fails with BP_UNSUPPORTED for an instruction without a kernel, with
// BP_INVALID if the module is at another stage, and with BP_INTERNAL if module or emitter are wrong.
plugin::Result<Program> emit_program(const ModuleView &module, const ProgramOptions &options);

}  // namespace bp::emit
