// Rewrites ops that only move or rename elements. Reshapes, and bitcast-converts to another width, become bitcasts;
// transposes become copies to another layout. Other ops with layouts that are not row-major are computed in row-major
// order, between copies, because the device may run them, or a pass rewrite them, in that order.
#include <algorithm>

#include "core/passes/array_builder.h"
#include "core/passes/expand.h"
#include "core/passes/pass.h"
#include "core/passes/rewrite.h"

namespace bp::passes {
namespace {

using ir::InstructionId;
using ir::Opcode;
using ir::Shape;

// Whether each element has bytes of its own, in any order.
bool has_bytes(const Shape &shape) {
  return shape.is_array() && shape.layout().element_bits == 0 && shape.layout().tiles.empty();
}
// Whether the results depend on nothing but the elements of the operands: not on called computations or custom calls,
// which have layouts of their own.
bool computes(ir::Instruction i) {
  switch (i.opcode()) {
    case Opcode::Parameter:
    case Opcode::Constant:
    case Opcode::Tuple:
    case Opcode::GetTupleElement:
    case Opcode::Bitcast:
    case Opcode::Copy:
    case Opcode::AddDependency:
    case Opcode::OptimizationBarrier:
    case Opcode::Domain:
    case Opcode::Fusion:
    case Opcode::CustomCall: return false;
    default: return !i.is(ir::Trait::CallsControl) && !i.is(ir::Trait::SideEffect);
  }
}

bool is_row_major(const Shape &shape) {
  return shape.layout() == ir::Layout::descending(shape.rank());
}

// Returns the instruction in row-major order, between copies; the instruction itself if it is row-major already, or if
// it has operands or results other than arrays.
InstructionId in_row_major(ir::Module &module, ir::Instruction i) {
  const Shape shape = i.shape();
  const bool has_array = has_bytes(shape);
  const bool has_plain_results =
      shape.is_tuple() && std::ranges::all_of(shape.elements(), [](const Shape &element) { return is_plain(element); });
  bool is_elsewhere = has_array && !is_row_major(shape), has_arrays = has_array || has_plain_results;
  for (std::size_t k = 0; k < i.operand_count(); ++k) {
    const Shape &operand = i.operand(k).shape();
    has_arrays = has_arrays && has_bytes(operand);
    is_elsewhere = is_elsewhere || (has_arrays && !is_row_major(operand));
  }
  if (!computes(i) || !has_arrays || !is_elsewhere) {
    return i.id();
  }
  ArrayBuilder b(module, i);
  std::vector<InstructionId> operands(i.operands().begin(), i.operands().end());
  for (InstructionId &operand : operands) {
    operand = b.with_layout(operand, ir::Layout::descending(b.shape(operand).rank()));
  }
  const std::vector<ir::ComputationId> calls(i.calls().begin(), i.calls().end());
  const InstructionId moved = module.clone_instruction(b.computation(), i, operands, calls);
  if (!has_array) {
    return moved;
  }
  module.set_shape(moved, Shape::array(shape.element_type(), shape.sizes()));
  return b.with_layout(moved, shape.layout());
}

}  // namespace

Result<bool> layout_expansion(ir::Module &module, const PassContext &context) {
  return expand_all(module, context, [&](ir::Instruction i) -> Result<InstructionId> {
    const bool renames = i.opcode() == Opcode::Reshape || i.opcode() == Opcode::BitcastConvert;
    if (!renames && i.opcode() != Opcode::Transpose) {
      return in_row_major(module, i);
    }
    if (!has_bytes(i.shape()) || !has_bytes(i.operand(0).shape())) {
      return i.id();
    }
    if (i.opcode() == Opcode::BitcastConvert && !(fills_bytes(i.shape()) && fills_bytes(i.operand(0).shape()))) {
      return i.id();
    }
    const Shape shape = i.shape();
    ArrayBuilder b(module, i);
    const InstructionId given = i.operands()[0],
                        x = b.with_layout(given, ir::Layout::descending(b.shape(given).rank()));
    const auto numbers = i.numbers(ir::AttributeKey::Dimensions);
    const InstructionId result = renames ? b.bitcast_to(x, Shape::array(shape.element_type(), shape.sizes()))
                                         : b.transpose_in_memory(x, std::vector(numbers.begin(), numbers.end()));
    return b.with_layout(result, shape.layout());
  });
}

}  // namespace bp::passes
