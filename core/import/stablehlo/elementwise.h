// Builds several elementwise instructions for one operation.
#pragma once

#include "core/import/stablehlo/lowering.h"

namespace bp::import::stablehlo {

// Adds instructions that have the shape of `example`, except for the element type.
class Elementwise {
 public:
  Elementwise(Lowering &lowering, const Operation &operation, InstructionId example)
      : lowering_(lowering), operation_(operation), shape_(lowering.shape(example)) {}

  Result<InstructionId> add(Opcode opcode, ir::ElementType type, std::initializer_list<InstructionId> operands) {
    Shape shape = shape_;
    shape.set_element_type(type);
    return lowering_.add(operation_, opcode, shape, std::span(operands.begin(), operands.size()));
  }
  Result<InstructionId> compare(ir::ComparisonDirection direction, InstructionId a, InstructionId b) {
    Shape shape = shape_;
    shape.set_element_type(ir::ElementType::Pred);
    InstructionId operands[] = {a, b};
    return lowering_.add(operation_, Opcode::Compare, shape, operands, [&](ir::Module &m, InstructionId id) {
      m.set_number(id, AttributeKey::Direction, static_cast<std::int64_t>(direction));
    });
  }
  // Adds an array whose elements all have the given bits.
  Result<InstructionId> bits(ir::ElementType type, std::uint64_t value) {
    ir::Literal literal = ir::Literal::zeros(Shape::scalar(type)).value();
    auto bytes = literal.mutable_bytes();
    for (std::size_t i = 0; i < bytes.size(); ++i) {  // low byte first
      bytes[i] = static_cast<std::byte>(value >> (8 * i));
    }
    BP_ASSIGN(InstructionId scalar, lowering_.constant(operation_, std::move(literal)));
    return add(Opcode::Broadcast, type, {scalar});
  }

 private:
  Lowering &lowering_;
  const Operation &operation_;
  Shape shape_;
};

}  // namespace bp::import::stablehlo
