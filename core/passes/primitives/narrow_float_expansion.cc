// Converts between narrow floats and f32 by operations on their bits; this is exact in one direction and rounds once,
// to even, in the other. Other operations on narrow floats are done in f32 (float-normalization) or on their bytes
// (storage-expansion).
#include <cmath>

#include "core/ir/literal.h"
#include "core/passes/array_builder.h"
#include "core/passes/expand.h"
#include "core/passes/primitives/element_codes.h"
#include "core/passes/primitives/wide_integer_formulas.h"
#include "core/passes/rewrite.h"

namespace bp::passes {
namespace {

using ir::ComparisonDirection;
using ir::ElementType;
using ir::FloatFormat;
using ir::Opcode;
using ir::Specials;
using Id = ir::InstructionId;

constexpr int f32_mantissa = 23, f32_bias = 127;
constexpr std::uint64_t f32_infinity = 0x7f800000, f32_nan = 0x7fc00000, f32_sign = 0x80000000;

FloatFormat format_of(ElementType type) {
  return ir::visit_element_type(type, []<class T>() -> FloatFormat {
    if constexpr (requires { T::float_format; }) {
      return T::float_format;
    } else {
      return {};
    }
  });
}

// Operations on u32 codes of a float format.
struct Codes {
  ArrayBuilder &b;
  FloatFormat format;

  int dropped() const { return f32_mantissa - format.mantissa_bits; }
  std::uint64_t sign_bit() const { return std::uint64_t{1} << (format.exponent_bits + format.mantissa_bits); }
  std::uint64_t infinity() const { return ((std::uint64_t{1} << format.exponent_bits) - 1) << format.mantissa_bits; }
  std::uint64_t nan() const { return ir::encode(format, std::numeric_limits<double>::quiet_NaN()); }
  std::uint64_t overflow() const { return ir::encode(format, std::numeric_limits<double>::infinity()); }
  std::uint64_t largest() const {
    const std::uint64_t all = sign_bit() - 1;
    switch (format.specials) {
      case Specials::Ieee: return infinity() - 1;
      case Specials::FiniteNan: return all - 1;
      default: return all;
    }
  }

  Id number(std::uint64_t value, Id like) const { return b.splat_bits(value, like); }
  Id low_bits(Id x, std::uint64_t mask) const { return b.bit_and({x, number(mask, x)}); }
  Id above(Id x, std::uint64_t limit) const { return b.compare(ComparisonDirection::Gt, x, number(limit, x)); }
  Id is(Id x, std::uint64_t value) const { return b.compare(ComparisonDirection::Eq, x, number(value, x)); }
  Id as_float(Id bits) const { return b.reinterpret(bits, ElementType::F32); }
};

Id decoded_scale(Codes c, Id code) {
  ArrayBuilder &b = c.b;
  const Id bits = b.select({c.is(code, 0), c.number(0x00400000, code), b.shift_left(code, f32_mantissa)});
  return c.as_float(b.select({c.is(code, 0xff), c.number(f32_nan, code), bits}));
}

Id decoded(Codes c, Id code) {
  if (c.format.specials == Specials::Scale) {
    return decoded_scale(c, code);
  }
  ArrayBuilder &b = c.b;
  const Id magnitude = c.low_bits(code, c.sign_bit() - 1);
  const int to_sign = 31 - c.format.exponent_bits - c.format.mantissa_bits;
  const Id sign = b.shift_left(c.low_bits(code, c.sign_bit()), to_sign);
  const Id shifted = b.shift_left(magnitude, c.dropped());
  Id bits = shifted;
  if (c.format.bias != f32_bias) {
    // Subnormals are small integers times a power of two; other numbers have another exponent bias.
    const Id small =
        b.product({b.convert(magnitude, ElementType::F32),
                   b.splat(std::ldexp(1.0, 1 - c.format.bias - c.format.mantissa_bits), c.as_float(magnitude))});
    const auto rebias = static_cast<std::uint64_t>(f32_bias - c.format.bias) << f32_mantissa;
    const Id normal = b.sum({shifted, c.number(rebias, shifted)});
    const Id is_normal = c.above(magnitude, (std::uint64_t{1} << c.format.mantissa_bits) - 1);
    bits = b.select({is_normal, normal, b.reinterpret(small, ElementType::U32)});
    if (c.format.specials == Specials::Ieee) {
      const Id special = b.bit_or({shifted, c.number(f32_infinity, shifted)});
      bits = b.select({c.above(magnitude, c.largest()), special, bits});
    }
  }
  if (c.format.specials == Specials::FiniteNan) {
    bits = b.select({c.above(magnitude, c.largest()), c.number(f32_nan, bits), bits});
  }
  bits = b.bit_or({bits, sign});
  if (c.format.specials == Specials::UnsignedZero) {
    bits = b.select({c.is(code, c.sign_bit()), c.number(f32_nan | f32_sign, bits), bits});  // the code of NaN
  }
  return c.as_float(bits);
}

// Rounds to powers of two; the midpoint is rounded up.
Id encoded_scale(Codes c, Id bits) {
  ArrayBuilder &b = c.b;
  const Id normal = b.shift_right(b.sum({bits, c.number(0x00400000, bits)}), f32_mantissa);
  const Id is_subnormal = b.compare(ComparisonDirection::Lt, bits, c.number(0x00600000, bits));
  const Id exponent = b.select({is_subnormal, c.number(0, bits), normal});
  const Id is_negative = c.above(bits, f32_sign - 1);
  const Id has_none = b.bit_or({is_negative, c.is(bits, 0), c.above(exponent, 0xfe)});
  return b.select({has_none, c.number(c.nan(), bits), exponent});
}

Id encoded(Codes c, Id x) {
  ArrayBuilder &b = c.b;
  const Id bits = b.reinterpret(x, ElementType::U32);
  if (c.format.specials == Specials::Scale) {
    return encoded_scale(c, bits);
  }
  const Id magnitude = c.low_bits(bits, f32_sign - 1);
  const Id last_kept = c.low_bits(b.shift_right(magnitude, c.dropped()), 1);
  const Id rounding = b.sum({last_kept, c.number((std::uint64_t{1} << (c.dropped() - 1)) - 1, magnitude)});
  Id code = b.shift_right(b.sum({magnitude, rounding}), c.dropped());
  if (c.format.bias != f32_bias) {
    const auto rebias = static_cast<std::uint64_t>(f32_bias - c.format.bias) << c.format.mantissa_bits;
    const Id normal = b.difference({code, c.number(rebias, code)});
    // Adding a number whose step in f32 is the step of these subnormals rounds to them.
    const Id size = c.as_float(magnitude);
    const double ruler = std::ldexp(1.0, 1 - c.format.bias + c.dropped());
    const Id ruled = b.reinterpret(b.sum({size, b.splat(ruler, size)}), ElementType::U32);
    const Id small = b.difference({ruled, b.reinterpret(b.splat(ruler, size), ElementType::U32)});
    const auto min_normal = static_cast<std::uint64_t>(f32_bias + 1 - c.format.bias) << f32_mantissa;
    code = b.select({c.above(magnitude, min_normal - 1), normal, small});
  }
  const Id too_large = b.bit_or({c.above(code, c.largest()), c.is(magnitude, f32_infinity)});
  code = b.select({too_large, c.number(c.overflow() & (c.sign_bit() - 1), code), code});
  const int to_sign = 31 - c.format.exponent_bits - c.format.mantissa_bits;
  Id sign = b.shift_right(c.low_bits(bits, f32_sign), to_sign);
  if (c.format.specials == Specials::UnsignedZero) {
    sign = b.select({c.is(code, 0), c.number(0, sign), sign});
    code = b.select({too_large, c.number(c.nan(), code), code});
  }
  code = b.bit_or({code, sign});
  const Id is_nan = c.above(magnitude, f32_infinity);
  const bool signed_nan = c.format.specials == Specials::Ieee || c.format.specials == Specials::FiniteNan;
  const Id nan = signed_nan ? b.bit_or({c.number(c.nan() & (c.sign_bit() - 1), code), sign}) : c.number(c.nan(), code);
  return b.select({is_nan, nan, code});
}

// Returns an f32 that rounds to any narrower float as the f64 does: inexact results have an odd last bit.
Id f32_rounded_to_odd(ArrayBuilder &b, Id x) {
  const Id nearest = b.convert(x, ElementType::F32), back = b.convert(nearest, ElementType::F64);
  const Id bits = b.reinterpret(nearest, ElementType::U32);
  const Id is_even = b.compare(ComparisonDirection::Eq, b.bit_and({bits, b.splat(1, bits)}), b.splat(0, bits));
  const Id larger = b.compare(ComparisonDirection::Gt, b.add(Opcode::Abs, {back}), b.add(Opcode::Abs, {x}));
  const Id smaller = b.compare(ComparisonDirection::Lt, b.add(Opcode::Abs, {back}), b.add(Opcode::Abs, {x}));
  const Id one = b.splat(1, bits);
  const Id odd = b.select({larger, b.difference({bits, one}), b.select({smaller, b.sum({bits, one}), bits})});
  return b.reinterpret(b.select({is_even, odd, bits}), ElementType::F32);
}

// Returns an f64 that rounds to any float narrower than f32 as x does: integers of more digits get an odd last one.
Id f64_of(ArrayBuilder &b, Id x) {
  constexpr int lost = 12;
  if (!ir::is_integer(b.type(x)) || ir::bit_width(b.type(x)) < 64) {
    return b.cast(x, ElementType::F64);
  }
  const Id below = b.bit_and({x, b.splat((1 << lost) - 1, x)});
  const Id is_inexact = b.compare(ComparisonDirection::Ne, below, b.splat(0, x));
  const Id odd = b.shift_left(b.convert(is_inexact, b.type(x)), lost - 1);
  const Id rounded = b.bit_or({b.shift_left(b.shift_right(x, lost), lost), odd});
  const Id size = ir::is_signed(b.type(x)) ? b.add(Opcode::Abs, {x}) : x;
  const Id is_exact = b.compare(ComparisonDirection::Lt, size, b.splat(0x1p53, x));
  return b.cast(b.select({is_exact, x, rounded}), ElementType::F64);
}

// Returns an f32 that rounds to any narrower float as the integer of 32 bits does, without f64.
Id f32_of_integer(ArrayBuilder &b, Id x) {
  if (b.type(x) == ElementType::U32) {
    return b.convert(rounded_to_odd(b, x), ElementType::F32);
  }
  const Id size = b.convert(b.add(Opcode::Abs, {x}), ElementType::U32);  // of the smallest integer, its own bits
  const Id value = b.convert(rounded_to_odd(b, size), ElementType::F32);
  const Id is_negative = b.compare(ComparisonDirection::Lt, x, b.splat(0, x));
  return b.select({is_negative, b.add(Opcode::Negate, {value}), value});
}

}  // namespace

Result<bool> narrow_float_expansion(ir::Module &module, const PassContext &context) {
  return expand_all(module, context, [&](ir::Instruction i) -> Result<Id> {
    if (i.opcode() == Opcode::Iota && is_narrow_float(i.shape().element_type()) && is_plain(i)) {
      const ir::Shape shape = i.shape();
      ArrayBuilder b(module, i);
      const Id wide =
          b.iota(ir::Shape::array(ElementType::F32, shape.sizes()), i.number(ir::AttributeKey::IotaDimension));
      return b.convert(wide, shape.element_type());
    }
    if (i.opcode() != Opcode::Convert || !is_plain(i)) {
      return i.id();
    }
    const ElementType from = i.operand(0).shape().element_type(), to = i.shape().element_type();
    const Id operand = i.operands()[0];
    if (is_narrow_float(from)) {
      ArrayBuilder b(module, i);
      return b.cast(decoded({b, format_of(from)}, to_bits(b, operand)), to);
    }
    if (!is_narrow_float(to) || ir::is_complex(from)) {
      return i.id();
    }
    ArrayBuilder b(module, i);
    const bool is_long = from == ElementType::F64 || (ir::is_integer(from) && ir::bit_width(from) > 16);
    const bool is_long_integer = ir::is_integer(from) && ir::bit_width(from) == 32;
    const Id x = is_long && context.has_f64 ? f32_rounded_to_odd(b, f64_of(b, operand))
                 : is_long_integer          ? f32_of_integer(b, operand)
                                            : b.cast(operand, ElementType::F32);
    return from_bits(b, encoded({b, format_of(to)}, x), to);
  });
}

}  // namespace bp::passes
