// Rewrites what only gives the same elements another place or another name: a reshape, and a bitcast-convert to another
// width, are new names for the bytes, a transpose is a copy in another order. Where a layout is not row-major, copies are.
#include "core/passes/expansion.h"

namespace bp::passes {
namespace {

using ir::InstructionId;
using ir::Opcode;
using ir::Shape;

// Elements in bytes of their own, in some order.
bool has_bytes(const Shape &shape) {
  return shape.is_array() && shape.layout().element_bits == 0 && shape.layout().tiles.empty();
}
// Any bytes are values.
bool fills_bytes(const Shape &shape) {
  return ir::bit_width(shape.element_type()) >= 8 && shape.element_type() != ir::ElementType::Pred;
}

}  // namespace

Result<bool> layout_expansion(ir::Module &module, const PassContext &context) {
  return expand_all(module, context, [&](ir::Instruction i) -> Result<InstructionId> {
    const bool renames = i.opcode() == Opcode::Reshape || i.opcode() == Opcode::BitcastConvert;
    if ((!renames && i.opcode() != Opcode::Transpose) || !has_bytes(i.shape()) || !has_bytes(i.operand(0).shape())) {
      return i.id();
    }
    if (i.opcode() == Opcode::BitcastConvert && !(fills_bytes(i.shape()) && fills_bytes(i.operand(0).shape()))) {
      return i.id();
    }
    const Shape shape = i.shape();
    Expansion b(module, i);
    const InstructionId given = i.operands()[0], x = b.laid_out(given, ir::Layout::descending(b.shape(given).rank()));
    const auto numbers = i.numbers(ir::AttributeKey::Dimensions);
    const InstructionId result = renames ? b.seen_as(x, Shape::array(shape.element_type(), shape.sizes()))
                                         : b.transpose_in_memory(x, std::vector(numbers.begin(), numbers.end()));
    return b.laid_out(result, shape.layout());
  });
}

}  // namespace bp::passes
