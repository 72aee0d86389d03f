// Computes elementwise ops of narrow floats in f32, as the interpreter does: operands are converted to f32, which is
// exact, and the result is rounded once. Only for instructions that the device refuses as they are, because it stores a
// type but does not compute in it. Reductions are computed in f32 as a whole and rounded at the end.
#include <algorithm>

#include "core/passes/array_builder.h"
#include "core/passes/expand.h"
#include "core/passes/pass.h"
#include "core/passes/rewrite.h"

namespace bp::passes {
namespace {

using ir::ElementType;
using ir::Instruction;
using ir::InstructionId;
using ir::Opcode;
using ir::Shape;

bool is_narrow(const Shape &shape) {
  return shape.is_array() && ir::is_floating(shape.element_type()) && ir::bit_width(shape.element_type()) < 32;
}

Shape widened(Shape shape) {
  if (is_narrow(shape)) {
    shape.set_element_type(ElementType::F32);
  }
  return shape;
}

// Returns the op of a combiner of narrow floats that is one op on its two parameters.
std::optional<Opcode> plain_combiner(const Instruction &instruction) {
  if (instruction.opcode() != Opcode::Reduce && instruction.opcode() != Opcode::ReduceWindow) {
    return std::nullopt;
  }
  const Instruction root = instruction.called(0).root();
  const bool is_plain_op = instruction.operand_count() == 2 && is_narrow(root.shape()) && root.operand_count() == 2 &&
                           root.operand(0).opcode() == Opcode::Parameter &&
                           root.operand(1).opcode() == Opcode::Parameter && root.operands()[0] != root.operands()[1];
  return is_plain_op ? std::optional(root.opcode()) : std::nullopt;
}

// Whether the instruction is elementwise and computes; conversions are excluded, because this pass adds them.
bool computes_elementwise(const Instruction &instruction) {
  switch (instruction.opcode()) {
    case Opcode::Copy:
    case Opcode::Select:
    case Opcode::Convert:
    case Opcode::StochasticConvert: return false;
    // For other types, the interpreter reduces the precision of f16.
    case Opcode::ReducePrecision:
      return instruction.shape().element_type() == ElementType::BF16 ||
             instruction.shape().element_type() == ElementType::F8E8M0FNU;
    default: return instruction.is(ir::Trait::Elementwise);
  }
}

}  // namespace

Result<bool> float_normalization(ir::Module &module, const PassContext &context) {
  if (!context.is_native) {
    return false;
  }
  const std::vector<bool> embedded = embedded_computations(module);
  return expand_all(module, context, [&](Instruction instruction) -> Result<InstructionId> {
    if (const auto parent = index(instruction.parent().id()); parent >= embedded.size() || embedded[parent]) {
      return instruction.id();
    }
    const std::optional<Opcode> combiner = plain_combiner(instruction);
    std::vector<InstructionId> operands(instruction.operands().begin(), instruction.operands().end());
    const bool has_narrow =
        std::ranges::any_of(operands, [&](InstructionId id) { return is_narrow(module.instruction(id).shape()); });
    if (!(combiner || computes_elementwise(instruction)) || !(has_narrow || is_narrow(instruction.shape()))) {
      return instruction.id();
    }
    ArrayBuilder b(module, instruction);
    for (InstructionId &operand : operands) {
      if (is_narrow(b.shape(operand))) {
        operand = b.convert(operand, ElementType::F32);
      }
    }
    const Shape shape = instruction.shape();
    std::vector<ir::ComputationId> calls;
    if (combiner) {
      calls.push_back(ir::add_scalar_computation(module, *combiner, ElementType::F32, "combine_in_f32"));
    }
    const InstructionId wide = module.clone_instruction(b.computation(), instruction, operands, calls);
    module.set_shape(wide, widened(shape));
    if (!is_narrow(shape)) {
      return wide;
    }
    const InstructionId rounded = b.convert(wide, shape.element_type());
    module.set_shape(rounded, shape);
    return rounded;
  });
}

}  // namespace bp::passes
