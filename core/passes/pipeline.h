// Pipelines: passes in order, as data.
#pragma once

#include <functional>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "core/passes/pass.h"

namespace bp::passes {

// Stages from a module as read to a module that is ready for planning on a device:
enum class Stage {
  Simplify,    // hardware-neutral optimization; the results are still free of layouts and fusions
  Expand,      // rewrites ops that the device does not run as ops that it may run; simplification then runs again
  Primitives,  // rewrites ops that most devices run as the primitives that every device runs
  Layout,      // chooses layouts by the device's preferences
  Normalize,   // numbers the dimensions of arrays in the order of memory
  Fuse,        // groups cheap instructions into kernels
  Finalize,    // prepares the module for buffer assignment
};

// Returns the passes of a stage, in order.
std::span<const Pass> stage_passes(Stage stage);
// Returns the passes of all stages except Primitives, which runs only for a device that has refused an instruction.
std::vector<Pass> default_passes();

// Report on one run of a pass.
struct PassReport {
  std::string_view name;
  bool changed = false;
  double seconds = 0;
};

// Compares the module before and after a pass; an error stops the pipeline.
using Compare = std::function<Status(const ir::Module &before, const ir::Module &after, const Pass &pass)>;

struct PipelineOptions {
  PassContext context;
  // Verify after each pass that changed the module; a failure is an Internal error that names the pass.
  bool verify_between_passes = false;
  // Called after each pass; an error stops the pipeline.
  std::function<Status(const ir::Module &, const PassReport &)> after_pass;
  // Called before after_pass for each pass that changed the module. Costs a copy of the module per pass.
  Compare compare;
};

// Runs the passes in order on a verified module, then compacts it, which invalidates ids and views taken before. A pass
// that found nothing to do does not run again until another pass changes the module.
Status run_passes(ir::Module &module, std::span<const Pass> passes, const PipelineOptions &options = {});
// Runs passes given by their functions in the same way.
Status run_passes(ir::Module &module, std::initializer_list<PassFunction> functions,
                  const PipelineOptions &options = {});

}  // namespace bp::passes
