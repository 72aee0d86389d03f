#include "core/debugging/simplifications.h"

#include <algorithm>
#include <array>

#include "core/ir/builder.h"

namespace bp::debugging {
namespace {

using ir::ElementType;
using ir::Instruction;
using ir::InstructionId;
using ir::Module;
using ir::Opcode;
using ir::Shape;

bool is_leaf(Instruction i) {
  return i.opcode() == Opcode::Parameter || i.opcode() == Opcode::Constant;
}

InstructionId to_parameter(Module &module, Instruction i) {
  const ir::Computation computation = i.parent();
  const bool in_entry = computation == module.entry();
  if (!in_entry || is_leaf(i) || i.id() == computation.root().id() || i.shape().is_token()) {
    return i.id();
  }
  const auto number = static_cast<std::int64_t>(computation.parameter_count());
  return module.add_parameter(computation.id(), number, Shape(i.shape()));
}

InstructionId to_operand(Module &, Instruction i) {
  for (InstructionId operand : i.operands()) {
    if (ir::same(i.module().instruction(operand).shape(), i.shape(), ir::CompareLayout::No)) {
      return operand;
    }
  }
  return i.id();
}

InstructionId zero(ir::Builder &b, const Shape &shape) {
  if (shape.is_tuple()) {
    std::vector<InstructionId> elements;
    for (const Shape &element : shape.elements()) {
      elements.push_back(zero(b, element));
    }
    return b.tuple(elements);
  }
  const InstructionId scalar = b.constant(shape.element_type(), 0);
  return shape.rank() == 0 ? scalar : b.broadcast(scalar, shape);
}

bool has_only_static_arrays(const Shape &shape) {
  return shape.is_tuple() ? std::ranges::all_of(shape.elements(), has_only_static_arrays)
                          : shape.is_array() && shape.is_static();
}

bool is_zero(Instruction i) {
  return i.opcode() == Opcode::Constant && i.shape().is_array() &&
         std::ranges::all_of(i.literal().bytes(), [](std::byte b) { return b == std::byte{0}; });
}

InstructionId to_zero(Module &module, Instruction i) {
  const bool is_zeros =
      is_zero(i) || (i.opcode() == Opcode::Broadcast && is_zero(i.operand(0))) || (i.opcode() == Opcode::Tuple);
  if (is_zeros || i.opcode() == Opcode::Parameter || !has_only_static_arrays(i.shape())) {
    return i.id();
  }
  ir::Builder b(module, i.parent().id());
  return zero(b, Shape(i.shape()));
}

InstructionId to_call(Module &module, Instruction i, ir::ComputationId callee,
                      std::span<const InstructionId> arguments) {
  ir::Builder b(module, i.parent().id());
  auto call = b.try_add(Opcode::Call, arguments, [](Module &, InstructionId) {}, std::span(&callee, 1));
  return call.ok() ? *call : i.id();
}

// Returns a copy of the operands, because adding instructions moves them.
std::vector<InstructionId> operands_of(Instruction i) {
  return {i.operands().begin(), i.operands().end()};
}

template <std::size_t branch>
InstructionId to_branch(Module &module, Instruction i) {
  if (i.opcode() != Opcode::Conditional || i.calls().size() <= branch) {
    return i.id();
  }
  const auto operands = operands_of(i);
  return to_call(module, i, i.calls()[branch], std::span(&operands[branch + 1], 1));
}

// Keeps the first or the second half of many branches.
template <bool first>
InstructionId to_half_of_branches(Module &module, Instruction i) {
  if (i.opcode() != Opcode::Conditional || i.calls().size() <= 2) {
    return i.id();
  }
  const auto half = static_cast<std::ptrdiff_t>(i.calls().size() / 2);
  std::vector<ir::ComputationId> branches(i.calls().begin(), i.calls().end());
  std::vector<InstructionId> operands = operands_of(i);
  const InstructionId index = operands[0];
  operands.erase(operands.begin());
  const auto keep = [&](auto &list) {
    first ? list.erase(list.begin() + half, list.end()) : list.erase(list.begin(), list.begin() + half);
  };
  keep(branches);
  keep(operands);
  operands.insert(operands.begin(), index);
  ir::Builder b(module, i.parent().id());
  auto conditional = b.try_add(Opcode::Conditional, operands, [](Module &, InstructionId) {}, branches);
  return conditional.ok() ? *conditional : i.id();
}

InstructionId to_one_trip(Module &module, Instruction i) {
  if (i.opcode() != Opcode::While) {
    return i.id();
  }
  return to_call(module, i, i.calls()[1], operands_of(i));
}

InstructionId to_unfused(Module &module, Instruction i) {
  return i.opcode() != Opcode::Fusion ? i.id() : to_call(module, i, i.calls()[0], operands_of(i));
}

// Useful for bounds of loops.
InstructionId to_one(Module &module, Instruction i) {
  if (i.opcode() != Opcode::Constant || !i.shape().is_array() || i.shape().rank() != 0 ||
      i.shape().element_type() == ElementType::Pred) {
    return i.id();
  }
  ir::Builder b(module, i.parent().id());
  const InstructionId one = b.constant(i.shape().element_type(), 1);
  return module.instruction(one).literal().identical(i.literal()) ? i.id() : one;
}

constexpr std::array all{
    Simplification{"a parameter instead", to_parameter},
    Simplification{"an operand of its shape", to_operand},
    Simplification{"the first branch", to_branch<0>},
    Simplification{"the second branch", to_branch<1>},
    Simplification{"the first half of the branches", to_half_of_branches<true>},
    Simplification{"the second half of the branches", to_half_of_branches<false>},
    Simplification{"the body of the loop, once", to_one_trip},
    Simplification{"what is fused", to_unfused},
    Simplification{"zeros", to_zero},
    Simplification{"one", to_one},
};

}  // namespace

std::span<const Simplification> simplifications() {
  return all;
}

}  // namespace bp::debugging
