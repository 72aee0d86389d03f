// What passes share that rewrite an op by others, for devices that do not run it.
#pragma once

#include "core/ir/builder.h"
#include "core/passes/pass.h"
#include "core/passes/rewrite.h"

namespace bp::passes {

// Rewrites every instruction that the device does not run; see rewrite_all().
template <class Visit>
Result<bool> expand_all(ir::Module &module, const PassContext &context, Visit &&visit) {
  return rewrite_all(module, [&](ir::Instruction instruction) -> Result<ir::InstructionId> {
    if (context.is_native && context.is_native(instruction)) {
      return instruction.id();
    }
    return visit(instruction);
  });
}

// Arithmetic and movement of whole arrays, in the place of one instruction. Operands come as lists, whose elements C++
// evaluates in order: so the instructions have the same order everywhere.
class Expansion : public ir::Builder {
 public:
  using Id = ir::InstructionId;
  using Ids = std::initializer_list<Id>;
  using Sizes = std::span<const std::int64_t>;

  Expansion(ir::Module &module, ir::Instruction original) : Builder(module, original.parent().id()) {
    stand_in_for(original);
  }

  ir::ElementType type(Id id) const { return shape(id).element_type(); }

  Id sum(Ids terms) { return chain(ir::Opcode::Add, terms); }
  Id difference(Ids operands) { return add(ir::Opcode::Subtract, operands); }
  Id product(Ids factors) { return chain(ir::Opcode::Multiply, factors); }
  Id quotient(Ids operands) { return add(ir::Opcode::Divide, operands); }
  Id bit_and(Ids operands) { return chain(ir::Opcode::And, operands); }
  Id bit_or(Ids operands) { return chain(ir::Opcode::Or, operands); }
  Id exclusive_or(Ids operands) { return chain(ir::Opcode::Xor, operands); }
  Id select(Ids operands) { return add(ir::Opcode::Select, operands); }
  Id shift_left(Id x, int bits) { return add(ir::Opcode::ShiftLeft, {x, splat(bits, x)}); }
  Id shift_right(Id x, int bits) { return add(ir::Opcode::ShiftRightLogical, {x, splat(bits, x)}); }

  // A number, or a scalar, in the shape and type of another value.
  Id splat(double value, Id like);
  Id spread(Id scalar, Id like);

  // The elements [begin, end) along a dimension.
  Id slice(Id operand, std::size_t dimension, std::int64_t begin, std::int64_t end);
  Id concatenate(std::span<const Id> parts, std::int64_t dimension);
  Id concatenate(Ids parts, std::int64_t dimension) {
    return concatenate(std::span(parts.begin(), parts.size()), dimension);
  }
  using ir::Builder::reshape;
  Id reshape(Id operand, std::initializer_list<std::int64_t> sizes) {
    return ir::Builder::reshape(operand, Sizes(sizes.begin(), sizes.size()));
  }
  // Element i of a vector, as a scalar.
  Id element(Id vector, std::int64_t i) { return reshape(slice(vector, 0, i, i + 1), {}); }

 private:
  Id chain(ir::Opcode opcode, Ids operands);
};

}  // namespace bp::passes
