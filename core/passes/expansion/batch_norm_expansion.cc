// Rewrites batch normalization as reductions, broadcasts and elementwise ops; see batch_norm_formulas.cc.
#include "core/passes/expand.h"
#include "core/passes/expansion/batch_norm_formulas.h"

namespace bp::passes {

Result<bool> batch_norm_expansion(ir::Module &module, const PassContext &context) {
  BatchNormFormulas formulas(module);
  return expand_all(module, context, [&](ir::Instruction instruction) -> Result<ir::InstructionId> {
    return is_batch_norm(instruction) ? formulas(instruction) : instruction.id();
  });
}

}  // namespace bp::passes
