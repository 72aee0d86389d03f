// Replaces arrays without elements by constants, because they have only one value; the instructions that computed them
// become dead. A gather of slices without elements, whose collapsed dimensions give the result elements nevertheless,
// reads nothing: its result is zeros. A reduction without elements is its initial value.
#include "core/analysis/side_effects.h"
#include "core/ir/builder.h"
#include "core/passes/pass.h"
#include "core/passes/rewrite.h"

namespace bp::passes {

namespace {

bool is_empty(const ir::Shape &shape) {
  return shape.is_array() && shape.is_static() && shape.element_count() == 0;
}

ir::InstructionId initial_values(ir::Module &module, const ir::Instruction &reduce) {
  ir::Builder builder(module, reduce.parent().id());
  builder.copy_origin_from(reduce);
  const ir::Shape shape = reduce.shape();
  const std::size_t count = reduce.operand_count() / 2;
  std::vector<ir::InstructionId> results;
  for (std::size_t i = 0; i < count; ++i) {
    const ir::Shape &result = shape.is_tuple() ? shape.elements()[i] : shape;
    const ir::InstructionId initial = reduce.operands()[count + i];
    results.push_back(result.is_scalar() ? initial : builder.broadcast(initial, result));
  }
  return shape.is_tuple() ? builder.tuple(results) : results[0];
}

}  // namespace

Result<bool> zero_sized_elimination(ir::Module &module, const PassContext &) {
  analysis::SideEffects side_effects(module);
  return rewrite_all(module, [&](ir::Instruction instruction) -> Result<ir::InstructionId> {
    const ir::Shape &shape = instruction.shape();
    if (instruction.opcode() == ir::Opcode::Gather && shape.is_static() && shape.element_count() != 0 &&
        ir::product(instruction.numbers(ir::AttributeKey::SliceSizes)) == 0) {
      ir::Builder builder(module, instruction.parent().id());
      builder.copy_origin_from(instruction);
      BP_ASSIGN(ir::Literal zero, ir::Literal::zeros(ir::Shape::scalar(shape.element_type())));
      return builder.broadcast(builder.constant(std::move(zero)), ir::Shape(shape));
    }
    if (instruction.opcode() == ir::Opcode::Reduce && is_empty(instruction.operand(0).shape()) && !is_empty(shape)) {
      return initial_values(module, instruction);
    }
    if (!is_empty(shape) || instruction.opcode() == ir::Opcode::Constant ||
        instruction.opcode() == ir::Opcode::Parameter || side_effects.has(instruction)) {
      return instruction.id();
    }
    BP_ASSIGN(ir::Literal literal, ir::Literal::zeros(shape));
    ir::Builder builder(module, instruction.parent().id());
    builder.copy_origin_from(instruction);
    return builder.constant(std::move(literal));
  });
}

}  // namespace bp::passes
