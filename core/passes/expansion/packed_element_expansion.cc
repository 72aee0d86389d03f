// Unpacks elements that share a byte (layouts E(1), E(2), E(4)) before an instruction, and packs its results again, so
// that the device packs and unpacks in copies only. Only for instructions that the device refuses as they are.
#include <algorithm>

#include "core/passes/array_builder.h"
#include "core/passes/expand.h"
#include "core/passes/pass.h"

namespace bp::passes {
namespace {

using ir::InstructionId;
using ir::Shape;

bool is_packed(const Shape &shape) {
  return shape.is_array() ? shape.layout().element_bits > 0 && shape.layout().element_bits < 8
                          : std::ranges::any_of(shape.elements(), is_packed);
}

Shape unpacked(Shape shape) {
  if (shape.is_array() && is_packed(shape)) {
    ir::Layout layout = shape.layout();
    layout.element_bits = 0;
    shape.set_layout(std::move(layout));
  }
  for (Shape &element : shape.mutable_elements()) {
    element = unpacked(std::move(element));
  }
  return shape;
}

InstructionId copy(ArrayBuilder &b, InstructionId operand, const Shape &shape) {
  return b.add(ir::Opcode::Copy, {operand}, [](ir::Module &, InstructionId) {}, {}, shape);
}

// Packs an array, or the arrays of a tuple.
InstructionId packed(ArrayBuilder &b, InstructionId value, const Shape &shape) {
  if (!is_packed(shape)) {
    return value;
  }
  if (shape.is_array()) {
    return copy(b, value, shape);
  }
  std::vector<InstructionId> elements;
  for (std::size_t i = 0; i < shape.elements().size(); ++i) {
    elements.push_back(packed(b, b.get_tuple_element(value, static_cast<std::int64_t>(i)), shape.elements()[i]));
  }
  return b.tuple(elements);
}

}  // namespace

Result<bool> packed_element_expansion(ir::Module &module, const PassContext &context) {
  if (!context.is_native) {
    return false;
  }
  return expand_all(module, context, [&](ir::Instruction instruction) -> Result<InstructionId> {
    std::vector<InstructionId> operands(instruction.operands().begin(), instruction.operands().end());
    const bool has_packed_operand =
        std::ranges::any_of(operands, [&](InstructionId id) { return is_packed(module.instruction(id).shape()); });
    const bool all_arrays =
        std::ranges::all_of(operands, [&](InstructionId id) { return module.instruction(id).shape().is_array(); });
    if (instruction.is(ir::Trait::CallsControl) || instruction.opcode() == ir::Opcode::Copy || operands.empty() ||
        !all_arrays || (!has_packed_operand && !is_packed(instruction.shape()))) {
      return instruction.id();
    }
    ArrayBuilder b(module, instruction);
    for (InstructionId &operand : operands) {
      if (is_packed(b.shape(operand))) {
        operand = copy(b, operand, unpacked(b.shape(operand)));
      }
    }
    const Shape shape = instruction.shape();
    const std::vector<ir::ComputationId> calls(instruction.calls().begin(), instruction.calls().end());
    const InstructionId clone = module.clone_instruction(b.computation(), instruction, operands, calls);
    module.set_shape(clone, unpacked(shape));
    return packed(b, clone, shape);
  });
}

}  // namespace bp::passes
