#include "core/passes/expansion.h"

#include <array>

namespace bp::passes {

ir::InstructionId Expansion::chain(ir::Opcode opcode, Ids operands) {
  Id result = *operands.begin();
  for (const Id *next = operands.begin() + 1; next != operands.end(); ++next) {
    result = add(opcode, {result, *next});
  }
  return result;
}

ir::InstructionId Expansion::splat(double value, Id like) {
  Id scalar = constant(type(like), value);
  return shape(like).is_scalar() ? scalar : spread(scalar, like);
}

ir::InstructionId Expansion::spread(Id scalar, Id like) {
  return broadcast(scalar, ir::Shape::array(type(scalar), shape(like).sizes()));
}

ir::InstructionId Expansion::slice(Id operand, std::size_t dimension, std::int64_t begin, std::int64_t end) {
  std::vector<ir::SliceRange> ranges;
  for (std::int64_t size : shape(operand).sizes()) {
    ranges.push_back({0, size, 1});
  }
  ranges[dimension] = {begin, end, 1};
  return add(ir::Opcode::Slice, {operand}, [&](ir::Module &m, Id id) { m.set_slice_ranges(id, ranges); });
}

ir::InstructionId Expansion::concatenate(std::span<const Id> parts, std::int64_t dimension) {
  return try_add(ir::Opcode::Concatenate, parts,
                 [&](ir::Module &m, Id id) { m.set_numbers(id, ir::AttributeKey::Dimensions, {dimension}); })
      .value();
}

}  // namespace bp::passes
