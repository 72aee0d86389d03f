// Computes dots and convolutions in one type of at least 32 bits, which more devices run than narrow and mixed types:
// converts the operands to it, and the result from it. Only for instructions that the device refuses as they are;
// without a device to ask, no type is changed.
//
// This changes only where sums are rounded, which is not specified (docs/architecture.md, "Rounding"):
// - floats: f32 holds every narrower float and integers of up to 16 bits; f64 takes the others, also integers of 64
//   bits, which the interpreter rounds to f64 too; without f64, f32 takes all;
// - factors stay narrow where possible: f16, or else bf16, holds floats of at most 8 bits, for devices that add
//   products of these types in f32; if the device refuses these as well, f32 is tried next;
// - integers: sums and products wrap, so their low bits do not depend on the bits above; conversions keep the low bits;
// - a float that is added to a sum of integers is truncated to 64 bits, as in the interpreter;
// - pred: the result is whether the sum, of 64 bits, is not zero.
#include <array>

#include "core/passes/array_builder.h"
#include "core/passes/expand.h"
#include "core/passes/pass.h"

namespace bp::passes {
namespace {

using ir::ElementType;
using ir::InstructionId;
using ir::Opcode;

ElementType sum_type(ElementType lhs, ElementType rhs, ElementType result, bool has_f64) {
  const auto either = [&](auto &&holds) { return holds(lhs) || holds(rhs); };
  const auto is_inexact = [](ElementType type) { return ir::is_floating(type) || ir::is_complex(type); };
  if (is_inexact(result)) {
    const auto needs_double = [&](ElementType type) {
      return type == ElementType::F64 || type == ElementType::C128 ||
             (has_f64 && ir::is_integer(type) && ir::bit_width(type) > 16);
    };
    const bool in_double = needs_double(result) || either(needs_double);
    if (ir::is_complex(result)) {
      return in_double ? ElementType::C128 : ElementType::C64;
    }
    return in_double ? ElementType::F64 : ElementType::F32;
  }
  const bool in_64_bits = ir::bit_width(result) == 64 || result == ElementType::Pred || either(is_inexact);
  if (ir::is_signed(result)) {
    return in_64_bits ? ElementType::S64 : ElementType::S32;
  }
  return in_64_bits ? ElementType::U64 : ElementType::U32;
}

bool has_f16_values(ElementType type) {
  return type == ElementType::F16 ||
         (ir::is_floating(type) && ir::bit_width(type) <= 8 && type != ElementType::F8E8M0FNU);
}

// Returns the type that the operands are converted to.
ElementType factor_type(ElementType lhs, ElementType rhs, ElementType sum) {
  const auto is_tiny = [](ElementType type) { return ir::is_floating(type) && ir::bit_width(type) <= 8; };
  const auto has_bf16_values = [&](ElementType type) { return type == ElementType::BF16 || is_tiny(type); };
  if (sum != ElementType::F32 || !(is_tiny(lhs) || is_tiny(rhs))) {
    return sum;
  }
  if (has_f16_values(lhs) && has_f16_values(rhs)) {
    return ElementType::F16;
  }
  return has_bf16_values(lhs) && has_bf16_values(rhs) ? ElementType::BF16 : sum;
}

}  // namespace

Result<bool> contraction_upcast(ir::Module &module, const PassContext &context) {
  if (!context.is_native) {
    return false;
  }
  return expand_all(module, context, [&](ir::Instruction instruction) -> Result<InstructionId> {
    if ((instruction.opcode() != Opcode::Dot && instruction.opcode() != Opcode::Convolution) ||
        instruction.operand_count() != 2) {
      return instruction.id();
    }
    const std::vector<InstructionId> operands(instruction.operands().begin(), instruction.operands().end());
    ArrayBuilder b(module, instruction);
    const ElementType lhs = b.type(operands[0]), rhs = b.type(operands[1]), result = instruction.shape().element_type();
    const ElementType sum = sum_type(lhs, rhs, result, context.has_f64);
    const bool all_complex = ir::is_complex(lhs) && ir::is_complex(rhs) && ir::is_complex(result);
    if (all_complex || (lhs == sum && rhs == sum && result == sum)) {
      return instruction.id();
    }
    const ElementType factor = factor_type(lhs, rhs, sum);
    const std::array wide{b.cast(operands[0], factor), b.cast(operands[1], factor)};
    const InstructionId product = module.clone_instruction(b.computation(), instruction, wide, {});
    ir::Shape shape = instruction.shape();
    ir::Layout layout = shape.layout();
    layout.element_bits = 0;  // not packed before the final conversion
    shape.set_element_type(sum);
    shape.set_layout(layout);
    module.set_shape(product, result == sum ? instruction.shape() : shape);
    const InstructionId converted = b.cast(product, result);
    module.set_shape(converted, instruction.shape());
    return converted;
  });
}

}  // namespace bp::passes
