// Pipelines: passes in order, as data.
#pragma once

#include <functional>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "core/passes/pass.h"

namespace bp::passes {

// The road from a module as read to one as planned for a device:
enum class Stage {
  Simplify,    // hardware-neutral: what every device profits from; results are still free of layouts and fusions
  Expand,      // rewrites ops that the device does not run as ops that it may run; simplification then starts again
  Primitives,  // rewrites ops that most devices run, for one that does not, as the primitives that every device runs
  Layout,      // lays arrays out as the device wishes
  Fuse,        // groups cheap instructions into kernels
  Finalize,    // what buffer assignment asks for
};

// The passes of a stage, in order.
std::span<const Pass> stage_passes(Stage stage);
// The passes of all stages but Primitives, which is for a device that has refused something.
std::vector<Pass> default_passes();

// One pass that has just run.
struct PassReport {
  std::string_view name;
  bool changed = false;
  double seconds = 0;
};

// Sees what a pass did; an error stops the pipeline.
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

// Runs the passes in order on a verified module, then compacts it: ids and views taken before are void. A pass that found
// nothing to do does not run again before another changes something.
Status run_passes(ir::Module &module, std::span<const Pass> passes, const PipelineOptions &options = {});
// Runs passes given by their functions in the same way.
Status run_passes(ir::Module &module, std::initializer_list<PassFunction> functions,
                  const PipelineOptions &options = {});

}  // namespace bp::passes
