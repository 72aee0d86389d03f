// op(broadcast(x), broadcast(y))  ->  broadcast(op(x, y)), if both have the same dimensions, or one is a scalar: an
// elementwise op then computes each value only once.
#include <algorithm>

#include "core/passes/array_builder.h"
#include "core/passes/pass.h"
#include "core/passes/rewrite.h"

namespace bp::passes {
namespace {

using ir::Instruction;
using ir::InstructionId;
using ir::Opcode;
using ir::Shape;

bool is_pointwise(const Instruction &instruction) {
  return instruction.is(ir::Trait::Elementwise) && instruction.opcode() != Opcode::Copy;
}

// Returns the operand whose dimensions the others must have: a broadcast, of an array if there is one.
const Instruction *find_widest(std::span<const Instruction> operands) {
  const Instruction *widest = nullptr;
  for (const Instruction &operand : operands) {
    if (operand.opcode() == Opcode::Broadcast && (widest == nullptr || widest->operand(0).shape().is_scalar())) {
      widest = &operand;
    }
  }
  return widest;
}

bool may_follow(const Instruction &operand, const Instruction &widest) {
  if (operand.shape().is_scalar()) {
    return true;  // a predicate or a bound
  }
  return operand.opcode() == Opcode::Broadcast && is_plain(operand) &&
         (operand.operand(0).shape().is_scalar() ||
          (same_sizes(operand.operand(0).shape(), widest.operand(0).shape()) &&
           std::ranges::equal(operand.dimensions(), widest.dimensions())));
}

InstructionId sink(ir::Module &module, const Instruction &instruction) {
  const InstructionId keep = instruction.id();
  // A complex op only combines its parts, which some devices need separately.
  if (!is_pointwise(instruction) || !is_plain(instruction) || instruction.opcode() == Opcode::Complex) {
    return keep;
  }
  std::vector<Instruction> operands;
  for (InstructionId id : instruction.operands()) {
    operands.push_back(module.instruction(id));
  }
  const Instruction *widest = find_widest(operands);
  if (widest == nullptr || widest->operand(0).shape().element_count() >= instruction.shape().element_count() ||
      !std::ranges::all_of(operands, [&](const Instruction &operand) { return may_follow(operand, *widest); })) {
    return keep;
  }
  ArrayBuilder b(module, instruction);
  const Shape result = instruction.shape(), inner = widest->operand(0).shape();
  const std::vector<std::int64_t> dimensions(widest->dimensions().begin(), widest->dimensions().end());
  std::vector<InstructionId> sources;
  for (const Instruction &operand : operands) {
    const bool is_broadcast = operand.opcode() == Opcode::Broadcast && !operand.shape().is_scalar();
    const InstructionId source = is_broadcast ? operand.operands()[0] : operand.id();
    const bool is_spread = is_broadcast && b.shape(source).is_scalar() && !inner.is_scalar();
    sources.push_back(is_spread ? b.broadcast(source, Shape::array(b.type(source), inner.sizes())) : source);
  }
  const InstructionId small = module.clone_instruction(instruction.parent().id(), instruction, sources, {});
  module.set_shape(small, Shape::array(result.element_type(), inner.sizes()));
  return b.broadcast(small, result, dimensions);
}

}  // namespace

Result<bool> broadcast_sinking(ir::Module &module, const PassContext &) {
  return rewrite_outside_fusions(
      module, [&](Instruction instruction) -> Result<InstructionId> { return sink(module, instruction); });
}

}  // namespace bp::passes
