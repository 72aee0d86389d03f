// Rewrites elementwise ops as simpler ones that give the same bits: ops that round, clamp, read signs or count bits
// become arithmetic, comparisons and bit operations. Only for f32, f64 and integers of whole bytes; narrower types are
// computed in wider ones (float-normalization, small-integer-expansion).
#include <algorithm>
#include <array>

#include "core/passes/array_builder.h"
#include "core/passes/expand.h"
#include "core/passes/pass.h"
#include "core/passes/rewrite.h"

namespace bp::passes {
namespace {

using ir::AttributeKey;
using ir::ComparisonDirection;
using ir::ElementType;
using ir::Instruction;
using ir::Opcode;
using Id = ir::InstructionId;
using Operands = std::span<const Id>;

// Computes an op on elements of a type; the operands have the sizes of the result.
using Formula = Id (*)(ArrayBuilder &b, Instruction original, Operands x);
struct ElementwiseRow {
  Opcode opcode;
  Formula formula;
};

ElementType bits_of(ElementType type, bool is_signed = false) {
  switch (ir::bit_width(type)) {
    case 8: return is_signed ? ElementType::S8 : ElementType::U8;
    case 16: return is_signed ? ElementType::S16 : ElementType::U16;
    case 32: return is_signed ? ElementType::S32 : ElementType::U32;
    default: return is_signed ? ElementType::S64 : ElementType::U64;
  }
}

int width(ArrayBuilder &b, Id x) {
  return ir::bit_width(b.type(x));
}
std::uint64_t sign_bit(int bits) {
  return std::uint64_t{1} << (bits - 1);
}

// Returns |magnitude| with the sign of another float.
Id with_sign(ArrayBuilder &b, Id magnitude, Id sign) {
  const ElementType type = b.type(magnitude), bits = bits_of(type);
  const Id low = b.reinterpret(magnitude, bits), high = b.reinterpret(sign, bits);
  const Id mask = b.splat_bits(sign_bit(width(b, magnitude)), low);
  return b.reinterpret(b.bit_or({b.bit_and({low, b.add(Opcode::Not, {mask})}), b.bit_and({high, mask})}), type);
}

Id less(ArrayBuilder &b, Id x, Id y) {
  return b.compare(ComparisonDirection::Lt, x, y);
}

Id clamp(ArrayBuilder &b, Instruction, Operands x) {
  const auto bound = [&](Id limit) {
    return b.shape(limit).rank() == b.shape(x[1]).rank() ? limit : b.broadcast_scalar(limit, x[1]);
  };
  return b.add(Opcode::Minimum, {b.add(Opcode::Maximum, {x[1], bound(x[0])}), bound(x[2])});
}

// Floats.

Id sign(ArrayBuilder &b, Instruction, Operands x) {
  const Id zero = b.splat(0, x[0]);
  return b.select({less(b, zero, x[0]), b.splat(1, x[0]), b.select({less(b, x[0], zero), b.splat(-1, x[0]), x[0]})});
}
Id ceil(ArrayBuilder &b, Instruction, Operands x) {
  return b.add(Opcode::Negate, {b.add(Opcode::Floor, {b.add(Opcode::Negate, {x[0]})})});
}
struct Fraction {
  Id whole, rest;  // parts of |x|
};
Fraction split(ArrayBuilder &b, Id x) {
  const Id magnitude = b.add(Opcode::Abs, {x}), whole = b.add(Opcode::Floor, {magnitude});
  return {whole, b.difference({magnitude, whole})};
}
Id round_away(ArrayBuilder &b, Instruction, Operands x) {
  const auto [whole, rest] = split(b, x[0]);
  const Id up = b.compare(ComparisonDirection::Ge, rest, b.splat(0.5, rest));
  return with_sign(b, b.select({up, b.sum({whole, b.splat(1, whole)}), whole}), x[0]);
}
Id round_to_even(ArrayBuilder &b, Instruction, Operands x) {
  const auto [whole, rest] = split(b, x[0]);
  const Id half = b.splat(0.5, rest);
  const Id pairs = b.add(Opcode::Floor, {b.product({whole, half})});
  const Id is_odd = b.compare(ComparisonDirection::Ne, b.sum({pairs, pairs}), whole);
  const Id is_tie = b.compare(ComparisonDirection::Eq, rest, half);
  const Id up = b.bit_or({less(b, half, rest), b.bit_and({is_tie, is_odd})});
  return with_sign(b, b.select({up, b.sum({whole, b.splat(1, whole)}), whole}), x[0]);
}
Id is_finite(ArrayBuilder &b, Instruction, Operands x) {
  return less(b, b.add(Opcode::Abs, {x[0]}), b.splat(std::numeric_limits<double>::infinity(), x[0]));
}
Id real(ArrayBuilder &, Instruction, Operands x) {
  return x[0];
}
Id imaginary(ArrayBuilder &b, Instruction, Operands x) {
  return b.splat(0, x[0]);
}
// Rounds to the last bit that is kept, to even; then too large exponents give infinity, and too small ones zero. Values
// that are not finite are not changed. Narrow floats are converted to f16 first.
Id reduce_precision(ArrayBuilder &b, Instruction original, Operands operands) {
  if (const ElementType narrow = b.type(operands[0]); ir::bit_width(narrow) < 32 && narrow != ElementType::F16) {
    const std::array wide{b.convert(operands[0], ElementType::F16)};
    return b.convert(reduce_precision(b, original, wide), narrow);
  }
  const std::span x = operands;
  const ElementType type = b.type(x[0]);
  const int own_mantissa = type == ElementType::F16 ? 10 : type == ElementType::F32 ? 23 : 52;
  const int own_exponent = width(b, x[0]) - 1 - own_mantissa;
  const auto mantissa = static_cast<int>(original.number(AttributeKey::MantissaBits));
  const auto exponent = static_cast<int>(original.number(AttributeKey::ExponentBits));
  Id bits = b.reinterpret(x[0], bits_of(type));
  if (const int dropped = own_mantissa - mantissa; dropped > 0) {
    const Id last_kept = b.bit_and({b.shift_right(bits, dropped), b.splat(1, bits)});
    bits = b.sum({bits, b.splat_bits((std::uint64_t{1} << (dropped - 1)) - 1, bits), last_kept});
    bits = b.shift_left(b.shift_right(bits, dropped), dropped);
  }
  if (exponent < own_exponent) {
    const std::uint64_t own_bias = (std::uint64_t{1} << (own_exponent - 1)) - 1;
    const std::uint64_t bias = (std::uint64_t{1} << (exponent - 1)) - 1;
    const Id sign_mask = b.splat_bits(sign_bit(width(b, x[0])), bits);
    const Id sign = b.bit_and({bits, sign_mask});
    const Id magnitude = b.bit_and({bits, b.add(Opcode::Not, {sign_mask})});
    const Id overflow = b.splat_bits((own_bias + bias + 1) << own_mantissa, bits);  // the smallest that is too large
    const Id least = b.splat_bits((own_bias - bias + 1) << own_mantissa, bits);
    const Id infinity = b.splat_bits(((std::uint64_t{1} << own_exponent) - 1) << own_mantissa, bits);
    const Id limited = b.select({less(b, magnitude, overflow), magnitude, infinity});
    bits = b.bit_or({sign, b.select({less(b, magnitude, least), b.splat(0, bits), limited})});
  }
  const Id rounded = b.reinterpret(bits, type);
  return b.select({b.add(Opcode::IsFinite, {x[0]}), rounded, x[0]});
}

// In total order, floats are ordered like their bits as integers, if the bits of negative floats are inverted.
Id compare_in_total_order(ArrayBuilder &b, Instruction original, Operands x) {
  const auto direction = original.enumerator(AttributeKey::Direction, ComparisonDirection::Eq);
  const auto key = [&](Id value) {
    const Id bits = b.reinterpret(value, bits_of(b.type(value), true));
    const Id sign = b.add(Opcode::ShiftRightArithmetic, {bits, b.splat(width(b, value) - 1, bits)});
    return b.exclusive_or({bits, b.shift_right(sign, 1)});
  };
  return b.compare(direction, key(x[0]), key(x[1]));
}

// Integers.

// Integers are in total order anyway.
Id compare_plainly(ArrayBuilder &b, Instruction original, Operands x) {
  return b.compare(original.enumerator(AttributeKey::Direction, ComparisonDirection::Eq), x[0], x[1]);
}
Id integer_sign(ArrayBuilder &b, Instruction original, Operands x) {
  if (ir::is_signed(b.type(x[0]))) {
    return sign(b, original, x);
  }
  return b.add(Opcode::Minimum, {x[0], b.splat(1, x[0])});
}
Id absolute(ArrayBuilder &, Instruction, Operands x) {
  return x[0];
}
// Counts the bits in pairs, then in groups of four and eight; then the bytes are summed.
Id population_count(ArrayBuilder &b, Instruction original, Operands x) {
  const ElementType type = b.type(x[0]);
  if (ir::is_signed(type)) {
    const std::array bits{b.convert(x[0], bits_of(type))};
    return b.convert(population_count(b, original, bits), type);
  }
  Id counts = x[0];
  const auto masked = [&](Id value, std::uint64_t mask) { return b.bit_and({value, b.splat_bits(mask, value)}); };
  counts = b.difference({counts, masked(b.shift_right(counts, 1), 0x5555555555555555)});
  counts = b.sum({masked(counts, 0x3333333333333333), masked(b.shift_right(counts, 2), 0x3333333333333333)});
  counts = masked(b.sum({counts, b.shift_right(counts, 4)}), 0x0f0f0f0f0f0f0f0f);
  for (int bytes = 8; bytes < width(b, x[0]); bytes *= 2) {
    counts = b.sum({counts, b.shift_right(counts, bytes)});
  }
  return masked(counts, 0x7f);
}
// Sets all bits below the highest one; the bits that remain zero are the leading zeros.
Id count_leading_zeros(ArrayBuilder &b, Instruction original, Operands x) {
  const ElementType type = b.type(x[0]);
  Id bits = b.cast(x[0], bits_of(type));
  for (int distance = 1; distance < width(b, x[0]); distance *= 2) {
    bits = b.bit_or({bits, b.shift_right(bits, distance)});
  }
  const std::array zeros{b.add(Opcode::Not, {bits})};
  return b.cast(population_count(b, original, zeros), type);
}
// Multiplies halves of the factors. For signed factors, a negative number is the unsigned one minus 2^n.
Id multiply_high(ArrayBuilder &b, Instruction original, Operands x) {
  const ElementType type = b.type(x[0]);
  if (ir::is_signed(type)) {
    const ElementType bits = bits_of(type);
    const std::array factors{b.convert(x[0], bits), b.convert(x[1], bits)};
    const Id zero = b.splat(0, x[0]);
    const Id high = b.convert(multiply_high(b, original, factors), type);
    const Id corrected = b.difference({high, b.select({less(b, x[0], zero), x[1], zero})});
    return b.difference({corrected, b.select({less(b, x[1], zero), x[0], zero})});
  }
  const int half = width(b, x[0]) / 2;
  const std::uint64_t mask = (std::uint64_t{1} << half) - 1;
  const auto low = [&](Id value) { return b.bit_and({value, b.splat_bits(mask, value)}); };
  const auto high = [&](Id value) { return b.shift_right(value, half); };
  const Id low_low = b.product({low(x[0]), low(x[1])}), high_low = b.product({high(x[0]), low(x[1])});
  const Id low_high = b.product({low(x[0]), high(x[1])}), high_high = b.product({high(x[0]), high(x[1])});
  const Id middle = b.sum({high_low, high(low_low)});
  return b.sum({high_high, high(middle), high(b.sum({low_high, low(middle)}))});
}

// Pred: or, and.

template <Opcode opcode>
Id truth(ArrayBuilder &b, Instruction, Operands x) {
  return b.add(opcode, {x[0], x[1]});
}

constexpr std::array of_floats = {
    ElementwiseRow{Opcode::Sign, sign},
    ElementwiseRow{Opcode::Clamp, clamp},
    ElementwiseRow{Opcode::Ceil, ceil},
    ElementwiseRow{Opcode::RoundNearestAfz, round_away},
    ElementwiseRow{Opcode::RoundNearestEven, round_to_even},
    ElementwiseRow{Opcode::IsFinite, is_finite},
    ElementwiseRow{Opcode::Real, real},
    ElementwiseRow{Opcode::Imag, imaginary},
    ElementwiseRow{Opcode::ReducePrecision, reduce_precision},
    ElementwiseRow{Opcode::Compare, compare_in_total_order},
};
constexpr std::array of_integers = {
    ElementwiseRow{Opcode::Sign, integer_sign},
    ElementwiseRow{Opcode::Clamp, clamp},
    ElementwiseRow{Opcode::PopulationCount, population_count},
    ElementwiseRow{Opcode::CountLeadingZeros, count_leading_zeros},
    ElementwiseRow{Opcode::MultiplyHigh, multiply_high},
    ElementwiseRow{Opcode::Compare, compare_plainly},
};
constexpr std::array of_unsigned = {ElementwiseRow{Opcode::Abs, absolute}};
constexpr std::array of_truth = {
    ElementwiseRow{Opcode::Add, truth<Opcode::Or>},
    ElementwiseRow{Opcode::Maximum, truth<Opcode::Or>},
    ElementwiseRow{Opcode::Multiply, truth<Opcode::And>},
    ElementwiseRow{Opcode::Minimum, truth<Opcode::And>},
    ElementwiseRow{Opcode::Clamp, clamp},
    ElementwiseRow{Opcode::Compare, compare_plainly},
};

Formula find(std::span<const ElementwiseRow> rows, Opcode opcode) {
  const auto found = std::ranges::find(rows, opcode, &ElementwiseRow::opcode);
  return found == rows.end() ? nullptr : found->formula;
}

Formula formula_of(Instruction i, ElementType type) {
  const Opcode opcode = i.opcode();
  if (opcode == Opcode::Compare &&
      i.enumerator(AttributeKey::ComparisonType, ir::ComparisonType::Float) != ir::ComparisonType::TotalOrder) {
    return nullptr;
  }
  const bool is_f16_for_it = ir::is_floating(type) && ir::bit_width(type) < 32 && type != ElementType::BF16 &&
                             type != ElementType::F8E8M0FNU && opcode == Opcode::ReducePrecision;
  if (type == ElementType::F32 || type == ElementType::F64 || is_f16_for_it) {
    return find(of_floats, opcode);
  }
  if (type == ElementType::Pred) {
    return find(of_truth, opcode);
  }
  if (ir::is_integer(type) && ir::bit_width(type) >= 8) {
    const Formula formula = ir::is_unsigned(type) ? find(of_unsigned, opcode) : nullptr;
    return formula != nullptr ? formula : find(of_integers, opcode);
  }
  return nullptr;
}

}  // namespace

Result<bool> elementwise_expansion(ir::Module &module, const PassContext &context) {
  return expand_all(module, context, [&](Instruction i) -> Result<Id> {
    if (!i.is(ir::Trait::Elementwise) || i.operand_count() == 0 || !is_plain(i)) {
      return i.id();
    }
    const Formula formula = formula_of(i, i.operand(0).shape().element_type());
    if (formula == nullptr) {
      return i.id();
    }
    ArrayBuilder b(module, i);
    const std::vector<Id> operands(i.operands().begin(), i.operands().end());
    return formula(b, i, operands);
  });
}

}  // namespace bp::passes
