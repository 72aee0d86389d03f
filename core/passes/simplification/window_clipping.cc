// Removes positions under which no element ever lies from the windows of reduce-window and select-and-scatter: backends
// iterate over all positions, and a window may be much larger than its array.
#include "core/ir/window.h"

#include "core/passes/pass.h"
#include "core/passes/rewrite.h"

namespace bp::passes {

Result<bool> window_clipping(ir::Module &module, const PassContext &) {
  bool changed = false;
  for (const ir::Computation computation : module.computations()) {
    for (const ir::InstructionId id : computation.instruction_ids()) {
      const ir::Instruction i = module.instruction(id);
      if (i.opcode() != ir::Opcode::ReduceWindow && i.opcode() != ir::Opcode::SelectAndScatter) {
        continue;
      }
      const ir::Shape &before = i.operand(0).shape();
      const ir::Shape &after = i.opcode() == ir::Opcode::SelectAndScatter ? i.operand(1).shape()
                               : i.shape().is_tuple()                     ? i.shape().elements()[0]
                                                                          : i.shape();
      if (!before.is_static() || !after.is_static()) {
        continue;
      }
      std::vector<ir::WindowDimension> window(i.window().begin(), i.window().end());
      bool is_clipped = false;
      for (std::size_t d = 0; d < window.size(); ++d) {
        const ir::WindowDimension given = window[d];
        window[d] = ir::clipped(given, before.size(d), after.size(d));
        is_clipped = is_clipped || window[d] != given;
      }
      if (is_clipped) {
        module.set_window(id, window);
        changed = true;
      }
    }
  }
  return changed;
}

}  // namespace bp::passes
