#include "core/ir/annotations.h"

#include <algorithm>

namespace bp::ir {
namespace {

constexpr std::string_view targets[] = {
    "InspectSharding",
    "LayoutConstraint",
    "MoveToDevice",
    "MoveToHost",
    "SPMDFullToShardShape",
    "SPMDShardToFullShape",
    "ShardBarrierFrom",
    "ShardBarrierTo",
    "Sharding",
    "annotate_device_placement",
    "control_dep",
    "xla.sdy.FuncResultSharding",
    "xla.sdy.GlobalToLocalShape",
    "xla.sdy.LocalToGlobalShape",
    "xla.sdy.PropagationBarrier",
    "xla.sdy.ShardingGroup",
};

}  // namespace

Annotation annotation_of(const Instruction &instruction) {
  if (instruction.opcode() != Opcode::CustomCall || instruction.operand_count() == 0 ||
      std::ranges::find(targets, instruction.text(AttributeKey::CustomCallTarget)) == std::end(targets)) {
    return Annotation::None;
  }
  const Shape &shape = instruction.shape();
  const auto is_operand = [&](const Shape &part, std::size_t i) {
    return same(part, instruction.operand(i).shape(), CompareLayout::No);
  };
  if (instruction.operand_count() == 1 && is_operand(shape, 0)) {
    return Annotation::Operand;
  }
  if (!shape.is_tuple()) {
    return Annotation::Division;
  }
  if (shape.elements().empty()) {
    return Annotation::Nothing;
  }
  bool are_operands = shape.elements().size() == instruction.operand_count();
  for (std::size_t i = 0; are_operands && i < instruction.operand_count(); ++i) {
    are_operands = is_operand(shape.elements()[i], i);
  }
  return are_operands ? Annotation::Operands : Annotation::Division;
}

}  // namespace bp::ir
