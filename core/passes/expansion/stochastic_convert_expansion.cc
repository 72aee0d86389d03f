// Rewrites stochastic-convert as arithmetic in f64, which is exact: |x| is a number of steps of the result's type plus
// a fraction of a step. It is rounded away from zero if the random bits, as a number, are less than the leading bits of
// that fraction. Then an ordinary conversion saturates or overflows.
#include <cmath>

#include "core/ir/float_spacing.h"
#include "core/passes/array_builder.h"
#include "core/passes/expand.h"
#include "core/passes/pass.h"

namespace bp::passes {
namespace {

using ir::ComparisonDirection;
using ir::ElementType;
using ir::InstructionId;
using ir::Opcode;

constexpr int mantissa_bits = 52, exponent_bias = 1023;  // of f64

// Returns 2^exponent for s64 exponents in the range of normal f64.
InstructionId power_of_two(ArrayBuilder &b, InstructionId exponent) {
  const InstructionId biased = b.sum({exponent, b.splat(exponent_bias, exponent)});
  return b.add(
      Opcode::BitcastConvert, {b.shift_left(biased, mantissa_bits)}, [](ir::Module &, InstructionId) {}, {},
      ir::Shape::array(ElementType::F64, b.shape(exponent).sizes()));
}

// Returns the exponent of the distance between neighbours of |x| in a type.
InstructionId step_exponent(ArrayBuilder &b, InstructionId magnitude, ir::Spacing spacing) {
  InstructionId bits = b.add(
      Opcode::BitcastConvert, {magnitude}, [](ir::Module &, InstructionId) {}, {},
      ir::Shape::array(ElementType::S64, b.shape(magnitude).sizes()));
  // The magnitude has no sign bit; 0 and subnormals give less than the minimum exponent of any type.
  const InstructionId exponent = b.shift_right(bits, mantissa_bits);
  const InstructionId step = b.difference({exponent, b.splat(exponent_bias + spacing.mantissa_bits, exponent)});
  return b.add(Opcode::Maximum, {step, b.splat(spacing.least, step)});
}

InstructionId rounded(ArrayBuilder &b, InstructionId x, InstructionId random, ir::Spacing spacing) {
  const InstructionId magnitude = b.add(Opcode::Abs, {x}), zero = b.splat(0, x);
  const InstructionId exponent = step_exponent(b, magnitude, spacing);
  const InstructionId steps = b.product({magnitude, power_of_two(b, b.add(Opcode::Negate, {exponent}))});
  const InstructionId whole = b.add(Opcode::Floor, {steps});
  const InstructionId fraction = b.difference({steps, whole});
  const int random_bits = ir::bit_width(b.type(random));
  const InstructionId scale = b.splat(std::ldexp(1.0, random_bits), fraction);
  const InstructionId threshold = b.convert(b.product({fraction, scale}), ElementType::U64);
  const InstructionId away = b.compare(ComparisonDirection::Lt, b.cast(random, ElementType::U64), threshold);
  const InstructionId taken = b.sum({whole, b.convert(away, ElementType::F64)});
  const InstructionId result = b.product({taken, power_of_two(b, exponent)});
  const InstructionId negative = b.compare(ComparisonDirection::Lt, x, zero);
  const InstructionId with_sign = b.select({negative, b.add(Opcode::Negate, {result}), result});
  // Zeros keep their sign; NaN and infinities are not rounded.
  const InstructionId has_steps = b.compare(ComparisonDirection::Ne, x, zero);
  return b.select({b.bit_and({has_steps, b.add(Opcode::IsFinite, {x})}), with_sign, x});
}

}  // namespace

Result<bool> stochastic_convert_expansion(ir::Module &module, const PassContext &context) {
  return expand_all(module, context, [&](ir::Instruction instruction) -> Result<InstructionId> {
    const ElementType type = instruction.shape().element_type();
    // The steps of f64 are too small for this method, but a conversion from f64 to f64 rounds nothing.
    if (instruction.opcode() != Opcode::StochasticConvert || type == ElementType::F64) {
      return instruction.id();
    }
    ArrayBuilder b(module, instruction);
    const std::vector<InstructionId> operands(instruction.operands().begin(), instruction.operands().end());
    return b.convert(rounded(b, b.cast(operands[0], ElementType::F64), operands[1], ir::spacing_of(type)), type);
  });
}

}  // namespace bp::passes
