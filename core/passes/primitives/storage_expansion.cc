// Moves elements of narrow types as the bytes in which they are stored, u8 or u16. Types that do not fill a byte, and
// pred, are converted from these bytes.
#include <algorithm>

#include "core/passes/array_builder.h"
#include "core/passes/expand.h"
#include "core/passes/primitives/element_codes.h"
#include "core/passes/rewrite.h"

namespace bp::passes {
namespace {

using ir::ElementType;
using ir::Instruction;
using ir::Opcode;
using ir::Shape;
using Id = ir::InstructionId;

bool moves(Opcode opcode) {
  switch (opcode) {
    case Opcode::Broadcast:
    case Opcode::Slice:
    case Opcode::DynamicSlice:
    case Opcode::DynamicUpdateSlice:
    case Opcode::Concatenate:
    case Opcode::Pad:
    case Opcode::Select: return true;
    default: return false;
  }
}

// Whether a bitcast-convert to the same width changes bytes.
bool has_code(Instruction i) {
  const ElementType from = i.operand(0).shape().element_type(), to = i.shape().element_type();
  return is_narrow(from) && ir::bit_width(from) == ir::bit_width(to) &&
         (ir::bit_width(from) < 8 || to == ElementType::Pred);
}

}  // namespace

Result<bool> storage_expansion(ir::Module &module, const PassContext &context) {
  return expand_all(module, context, [&](Instruction i) -> Result<Id> {
    const Shape shape = i.shape();
    const ElementType type = shape.element_type();
    if (i.opcode() == Opcode::BitcastConvert && is_plain(i) && has_code(i)) {
      ArrayBuilder b(module, i);
      const Id code = to_bits(b, i.operands()[0]);
      return type == ElementType::Pred ? b.compare(ir::ComparisonDirection::Ne, code, b.splat(0, code))
                                       : from_bits(b, code, type);
    }
    if (i.opcode() == Opcode::BitcastConvert && is_plain(i) && is_narrow(type) &&
        i.operand(0).shape().element_type() == ElementType::Pred) {
      ArrayBuilder b(module, i);
      return from_bits(b, b.convert(i.operands()[0], ElementType::U32), type);
    }
    if (!moves(i.opcode()) || !is_narrow(type) || type == storage_type(type) || !is_plain(i)) {
      return i.id();
    }
    ArrayBuilder b(module, i);
    std::vector<Id> operands(i.operands().begin(), i.operands().end());
    for (Id &operand : operands) {
      if (b.type(operand) == type) {
        const Shape narrow = b.shape(operand);
        operand = b.bitcast_to(operand, Shape::array(storage_type(type), narrow.sizes()));
      }
    }
    const Id moved = module.clone_instruction(b.computation(), i, operands, {});
    module.set_shape(moved, Shape::array(storage_type(type), shape.sizes()));
    return b.bitcast_to(moved, shape);
  });
}

}  // namespace bp::passes
