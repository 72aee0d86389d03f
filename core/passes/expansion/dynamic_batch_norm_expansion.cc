// Rewrites batch normalization for training, and its gradient, as other ops where dimensions are dynamic, which no
// device runs: their sums and counts depend on the run-time sizes. The dynamic-dimension-expansion pass then rewrites
// the result. Inference has no sums or counts, and stays for devices that run it.
#include "core/passes/expand.h"
#include "core/passes/expansion/batch_norm_formulas.h"
#include "core/passes/rewrite.h"

namespace bp::passes {

Result<bool> dynamic_batch_norm_expansion(ir::Module &module, const PassContext &context) {
  BatchNormFormulas formulas(module);
  const auto visit = [&](ir::Instruction instruction) -> Result<ir::InstructionId> {
    const bool has_sums = is_batch_norm(instruction) && instruction.opcode() != ir::Opcode::BatchNormInference;
    const bool is_static = instruction.shape().is_static() && has_static_operands(instruction);
    return has_sums && !is_static ? formulas(instruction) : instruction.id();
  };
  BP_ASSIGN(const bool changed, rewrite_all(module, visit));
  if (changed) {
    BP_TRY(tuple_simplification(module, context));  // no device runs tuples of dynamic arrays
    BP_TRY(dead_code_elimination(module, context));
  }
  return changed;
}

}  // namespace bp::passes
