// An array without elements has only one value: a constant. What computed it is dead then. A gather that takes slices
// without elements, but collapses them to elements, takes nothing: its result is zeros.
#include "core/analysis/side_effects.h"
#include "core/ir/builder.h"
#include "core/passes/pass.h"
#include "core/passes/rewrite.h"

namespace bp::passes {

Result<bool> zero_sized_elimination(ir::Module &module, const PassContext &) {
  analysis::SideEffects side_effects(module);
  return rewrite_all(module, [&](ir::Instruction instruction) -> Result<ir::InstructionId> {
    const ir::Shape &shape = instruction.shape();
    if (instruction.opcode() == ir::Opcode::Gather && shape.is_static() && shape.element_count() != 0 &&
        ir::product(instruction.numbers(ir::AttributeKey::SliceSizes)) == 0) {
      ir::Builder builder(module, instruction.parent().id());
      builder.stand_in_for(instruction);
      BP_ASSIGN(ir::Literal zero, ir::Literal::zeros(ir::Shape::scalar(shape.element_type())));
      return builder.broadcast(builder.constant(std::move(zero)), ir::Shape(shape));
    }
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
