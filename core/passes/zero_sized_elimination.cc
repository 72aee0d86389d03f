// An array without elements has only one value: a constant. What computed it is dead then.
#include "core/analysis/side_effects.h"
#include "core/ir/builder.h"
#include "core/passes/pass.h"
#include "core/passes/rewrite.h"

namespace bp::passes {

Result<bool> zero_sized_elimination(ir::Module &module, const PassContext &) {
  analysis::SideEffects side_effects(module);
  return rewrite_all(module, [&](ir::Instruction instruction) -> Result<ir::InstructionId> {
    const ir::Shape &shape = instruction.shape();
    bool is_empty = shape.is_array() && shape.is_static() && shape.element_count() == 0;
    if (!is_empty || instruction.opcode() == ir::Opcode::Constant || instruction.opcode() == ir::Opcode::Parameter ||
        side_effects.has(instruction)) {
      return instruction.id();
    }
    BP_ASSIGN(ir::Literal literal, ir::Literal::zeros(shape));
    ir::Builder builder(module, instruction.parent().id());
    builder.stand_in_for(instruction);
    return builder.constant(std::move(literal));
  });
}

}  // namespace bp::passes
