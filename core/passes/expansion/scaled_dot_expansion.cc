// Rewrites scaled-dot as a dot of operands multiplied by their scales, in f32, or in f64 if one of them is f64. A scale
// applies to a block: in each dimension, its size is the operand's size divided by the scale's size.
#include "core/passes/array_builder.h"
#include "core/passes/expand.h"
#include "core/passes/pass.h"

namespace bp::passes {
namespace {

using ir::AttributeKey;
using ir::ElementType;
using ir::InstructionId;

InstructionId scaled(ArrayBuilder &b, InstructionId values, InstructionId scale, ElementType type) {
  values = b.cast(values, type);
  scale = b.cast(scale, type);
  if (b.shape(scale).is_scalar()) {
    return b.product({values, b.broadcast_scalar(scale, values)});
  }
  std::vector<std::int64_t> blocks, dimensions;
  for (std::size_t d = 0; d < b.shape(values).rank(); ++d) {
    const std::int64_t count = b.shape(scale).size(d);
    dimensions.push_back(static_cast<std::int64_t>(blocks.size()));
    blocks.push_back(count);
    blocks.push_back(b.shape(values).size(d) / count);
  }
  const ir::Shape shape = b.shape(values);
  InstructionId repeated = b.broadcast(scale, ir::Shape::array(type, blocks), dimensions);
  return b.product({values, b.reshape(repeated, shape.sizes())});
}

}  // namespace

Result<bool> scaled_dot_expansion(ir::Module &module, const PassContext &context) {
  return expand_all(module, context, [&](ir::Instruction instruction) -> Result<InstructionId> {
    if (instruction.opcode() != ir::Opcode::ScaledDot) {
      return instruction.id();
    }
    ElementType type = ElementType::F32;
    for (std::size_t i = 0; i < 4; ++i) {
      const ir::Shape &shape = instruction.operand(i).shape();
      if (shape.element_count() == 0 || !ir::is_floating(shape.element_type())) {
        return instruction.id();
      }
      type = shape.element_type() == ElementType::F64 ? ElementType::F64 : type;
    }
    ArrayBuilder b(module, instruction);
    const auto operands = std::vector(instruction.operands().begin(), instruction.operands().end());
    const InstructionId lhs = scaled(b, operands[0], operands[2], type);
    const InstructionId rhs = scaled(b, operands[1], operands[3], type);
    const InstructionId product = b.add(ir::Opcode::Dot, {lhs, rhs}, [&](ir::Module &m, InstructionId id) {
      for (AttributeKey key : {AttributeKey::LhsBatchDims, AttributeKey::RhsBatchDims, AttributeKey::LhsContractingDims,
                               AttributeKey::RhsContractingDims}) {
        const auto numbers = instruction.numbers(key);
        m.set_numbers(id, key, std::vector(numbers.begin(), numbers.end()));
      }
    });
    return b.cast(product, instruction.shape().element_type());
  });
}

}  // namespace bp::passes
