#include "core/passes/expansion/top_k.h"

#include <algorithm>

namespace bp::passes {
namespace {

using ir::AttributeKey;
using ir::Instruction;
using ir::Opcode;

bool is_parameter(const Instruction &instruction, std::int64_t number) {
  return instruction.opcode() == Opcode::Parameter && instruction.parameter_number() == number;
}

// Returns the result `number` of a sort, of which this is the beginning along the last dimension.
std::optional<Instruction> sort_of_beginning(const Instruction &slice, std::int64_t number) {
  if (slice.opcode() != Opcode::Slice || slice.operand(0).opcode() != Opcode::GetTupleElement) {
    return std::nullopt;
  }
  const Instruction element = slice.operand(0);
  const auto ranges = slice.slice_ranges();
  for (std::size_t d = 0; d < ranges.size(); ++d) {
    const bool is_cut = d + 1 == ranges.size();
    if (ranges[d].start != 0 || ranges[d].stride != 1 || (!is_cut && ranges[d].limit != element.shape().size(d))) {
      return std::nullopt;
    }
  }
  const bool is_of_sort = element.number(AttributeKey::Index) == number && element.operand(0).opcode() == Opcode::Sort;
  return is_of_sort ? std::optional(element.operand(0)) : std::nullopt;
}

}  // namespace

std::optional<bool> puts_largest_first(const ir::Computation &comparator, bool needs_total_order) {
  const Instruction root = comparator.root();
  if (root.opcode() != Opcode::Compare || !is_parameter(root.operand(0), 0) || !is_parameter(root.operand(1), 1)) {
    return std::nullopt;
  }
  const ir::ElementType type = root.operand(0).shape().element_type();
  const auto order = root.enumerator(AttributeKey::ComparisonType, ir::ComparisonType::Float);
  if (ir::is_complex(type) || (needs_total_order && ir::is_floating(type) && order != ir::ComparisonType::TotalOrder)) {
    return std::nullopt;
  }
  const auto direction = root.enumerator(AttributeKey::Direction, ir::ComparisonDirection::Eq);
  return direction == ir::ComparisonDirection::Gt   ? std::optional(true)
         : direction == ir::ComparisonDirection::Lt ? std::optional(false)
                                                    : std::nullopt;
}

std::optional<bool> returns_largest(const ir::Computation &computation) {
  const Instruction root = computation.root();
  if (computation.parameter_ids().size() != 1 || root.opcode() != Opcode::Tuple || root.operand_count() != 2) {
    return std::nullopt;
  }
  const auto sort = sort_of_beginning(root.operand(0), 0), of_positions = sort_of_beginning(root.operand(1), 1);
  if (!sort || !of_positions || sort->id() != of_positions->id() || sort->operand_count() != 2 ||
      root.operand(0).shape().sizes().back() != root.operand(1).shape().sizes().back()) {
    return std::nullopt;
  }
  const Instruction values = sort->operand(0), positions = sort->operand(1);
  const auto last = static_cast<std::int64_t>(values.shape().rank()) - 1;
  const bool is_of_lines = sort->dimensions().size() == 1 && sort->dimensions()[0] == last &&
                           sort->number(AttributeKey::IsStable) != 0 && is_parameter(values, 0);
  const bool are_positions = positions.opcode() == Opcode::Iota &&
                             positions.shape().element_type() == ir::ElementType::S32 &&
                             positions.number(AttributeKey::IotaDimension) == last;
  return is_of_lines && are_positions ? puts_largest_first(sort->called(0), true) : std::nullopt;
}

ir::InstructionId add_top_k(ArrayBuilder &b, ir::InstructionId operand, std::int64_t k, bool is_largest) {
  return b.add(Opcode::TopK, {operand}, [&](ir::Module &m, ir::InstructionId id) {
    m.set_number(id, AttributeKey::K, k);
    m.set_number(id, AttributeKey::Largest, is_largest);
  });
}

}  // namespace bp::passes
