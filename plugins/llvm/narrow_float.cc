#include "plugins/llvm/narrow_float.h"

#include <algorithm>

#include "plugins/llvm/element_type.h"

namespace bp::emit {
namespace {

using llvm::Value;

constexpr unsigned own_mantissa = 23;
constexpr int own_bias = 127;
constexpr std::uint32_t own_infinity = 0x7f800000, own_nan = 0x7fc00000, own_sign = 0x80000000;

constexpr std::uint32_t ones(unsigned count) {
  return (std::uint32_t{1} << count) - 1;
}

// Codes of a format, of zero sign unless said otherwise.
struct Codes {
  explicit Codes(const FloatFormat &format) {
    const unsigned magnitude_bits = format.exponent_bits + format.mantissa_bits;
    magnitude = ones(magnitude_bits);
    sign = std::uint32_t{1} << magnitude_bits;
    switch (format.specials) {
      case Specials::Ieee:
        largest = magnitude - (std::uint32_t{1} << format.mantissa_bits);
        overflow = largest + 1;
        nan = overflow | std::uint32_t{1} << (format.mantissa_bits - 1);
        break;
      case Specials::FiniteNan:
      case Specials::Scale:
        largest = magnitude - 1;
        overflow = nan = magnitude;
        break;
      case Specials::Finite:
        largest = overflow = magnitude;
        nan = sign;
        break;
      case Specials::UnsignedZero:
        largest = magnitude;
        overflow = nan = sign;
        break;
    }
  }
  std::uint32_t magnitude, sign, largest, overflow, nan;
};

// Arithmetic on i32 with plain numbers as the second operand.
struct Bits {
  llvm::IRBuilderBase &b;
  llvm::Type *type;
  Value *number(std::uint32_t value) const { return llvm::ConstantInt::get(type, value); }
  Value *and_with(Value *x, std::uint32_t y) const { return b.CreateAnd(x, number(y)); }
  Value *add(Value *x, std::int64_t y) const { return b.CreateAdd(x, number(static_cast<std::uint32_t>(y))); }
  Value *above(Value *x, std::uint32_t y) const { return b.CreateICmpUGT(x, number(y)); }
  Value *equal(Value *x, std::uint32_t y) const { return b.CreateICmpEQ(x, number(y)); }
};

// Powers of two only: half way rounds up, and what is not positive and finite has no code.
Value *encode_scale(const Bits &i, Value *bits) {
  llvm::IRBuilderBase &b = i.b;
  Value *half = i.and_with(b.CreateLShr(bits, own_mantissa - 1), 1);
  Value *normal = b.CreateAdd(b.CreateLShr(bits, own_mantissa), half);
  // Subnormal: 2^-127 is code 0, and what is smaller becomes that.
  Value *subnormal = b.CreateZExt(i.above(bits, 0x005fffff), i.type);
  Value *code = b.CreateSelect(i.above(bits, ones(own_mantissa)), normal, subnormal);
  Value *none = b.CreateOr(i.equal(bits, 0), i.above(bits, own_infinity - 1));  // negative numbers are above too
  return b.CreateSelect(b.CreateOr(none, i.above(code, 254)), i.number(255), code);
}

// The code of the nearest number that the format can hold.
Value *rounded_code(llvm::IRBuilderBase &b, Value *value, const FloatFormat &format) {
  const Bits i{b, with_lanes_of(b.getInt32Ty(), value)};
  llvm::Type *code_type = with_lanes_of(b.getInt8Ty(), value);
  const Codes codes(format);
  Value *bits = b.CreateBitCast(value, i.type);
  if (format.specials == Specials::Scale) {
    return b.CreateTrunc(encode_scale(i, bits), code_type);
  }
  Value *sign = i.and_with(b.CreateLShr(bits, 31 - format.exponent_bits - format.mantissa_bits), codes.sign);
  Value *magnitude = i.and_with(bits, ~own_sign);
  Value *exponent = b.CreateLShr(magnitude, own_mantissa);
  Value *significand = b.CreateOr(i.and_with(magnitude, ones(own_mantissa)), i.number(ones(own_mantissa) + 1));
  // Bits below the last mantissa bit are rounded off; a carry moves into the exponent by itself. f32's subnormals are
  // far below half of any code, as is whatever drops two bits more than there are.
  const auto minimum = static_cast<std::uint32_t>(1 - format.bias + own_bias);
  const std::uint32_t dropped_of_normal = own_mantissa - format.mantissa_bits;
  Value *below = b.CreateICmpULT(exponent, i.number(minimum));
  Value *missing = b.CreateSelect(below, b.CreateSub(i.number(minimum), exponent), i.number(0));
  Value *dropped = i.add(missing, dropped_of_normal);
  dropped = b.CreateSelect(i.above(dropped, own_mantissa + 2), i.number(own_mantissa + 2), dropped);
  Value *odd = i.and_with(b.CreateLShr(significand, dropped), 1);
  Value *half = b.CreateShl(i.number(1), i.add(dropped, -1));
  Value *mantissa = b.CreateLShr(b.CreateAdd(b.CreateAdd(significand, odd), i.add(half, -1)), dropped);
  Value *upper = b.CreateShl(i.add(exponent, -static_cast<std::int64_t>(minimum)), format.mantissa_bits);
  Value *code = b.CreateAdd(b.CreateSelect(below, i.number(0), upper), mantissa);
  code = b.CreateSelect(i.above(code, codes.largest), i.number(codes.overflow), code);
  code = b.CreateSelect(i.above(magnitude, own_infinity), i.number(codes.nan), code);
  if (format.specials == Specials::UnsignedZero) {
    sign = b.CreateSelect(i.equal(code, 0), i.number(0), sign);
  }
  code = b.CreateOr(code, sign);
  return b.CreateTrunc(code, code_type);
}

}  // namespace

Value *emit_decode(llvm::IRBuilderBase &b, Value *code, const FloatFormat &format) {
  const Bits i{b, with_lanes_of(b.getInt32Ty(), code)};
  llvm::Type *float_type = with_lanes_of(b.getFloatTy(), code);
  const Codes codes(format);
  code = b.CreateZExt(code, i.type);
  Value *magnitude = i.and_with(code, codes.magnitude);
  Value *aligned = b.CreateShl(magnitude, own_mantissa - format.mantissa_bits);
  if (format.specials == Specials::Scale) {
    Value *bits = b.CreateSelect(i.equal(magnitude, 0), i.number(0x00400000), aligned);
    return b.CreateBitCast(b.CreateSelect(i.equal(magnitude, codes.nan), i.number(own_nan), bits), float_type);
  }
  Value *normal = i.add(aligned, (own_bias - format.bias) * (std::int64_t{1} << own_mantissa));
  const int last_place = 1 - format.bias - static_cast<int>(format.mantissa_bits);
  Value *unit =
      b.CreateBitCast(i.number(static_cast<std::uint32_t>(last_place + own_bias) << own_mantissa), float_type);
  Value *subnormal = b.CreateBitCast(b.CreateFMul(b.CreateSIToFP(magnitude, float_type), unit), i.type);
  Value *bits = b.CreateSelect(i.above(magnitude, ones(format.mantissa_bits)), normal, subnormal);
  if (format.specials == Specials::Ieee) {
    Value *special = b.CreateOr(aligned, i.number(own_infinity));
    bits = b.CreateSelect(i.above(magnitude, codes.largest), special, bits);
  } else if (format.specials == Specials::FiniteNan) {
    bits = b.CreateSelect(i.equal(magnitude, codes.nan), i.number(own_nan), bits);
  } else if (format.specials == Specials::UnsignedZero) {
    bits = b.CreateSelect(i.equal(i.and_with(code, codes.sign | codes.magnitude), codes.nan), i.number(own_nan), bits);
  }
  const unsigned to_sign = 31 - format.exponent_bits - format.mantissa_bits;
  return b.CreateBitCast(b.CreateOr(bits, i.and_with(b.CreateShl(code, to_sign), own_sign)), float_type);
}

Value *emit_encode(llvm::IRBuilderBase &b, Value *value, const FloatFormat &format) {
  const Bits i{b, with_lanes_of(b.getInt32Ty(), value)};
  llvm::Type *code_type = with_lanes_of(b.getInt8Ty(), value);
  const Codes codes(format);
  Value *bits = b.CreateBitCast(value, i.type);
  const unsigned dropped = own_mantissa - format.mantissa_bits;
  if (format.specials == Specials::Scale) {  // f32's own exponents
    return b.CreateTrunc(b.CreateLShr(bits, dropped), code_type);
  }
  Value *magnitude = i.and_with(bits, ~own_sign);
  const std::int64_t rebias = (std::int64_t{own_bias} - format.bias) * (std::int64_t{1} << format.mantissa_bits);
  Value *normal = i.add(b.CreateLShr(magnitude, dropped), -rebias);
  // Below the normal numbers the code counts units in the last place.
  const int units = format.bias - 1 + static_cast<int>(format.mantissa_bits);
  Value *scale =
      b.CreateBitCast(i.number(static_cast<std::uint32_t>(own_bias + units) << own_mantissa), value->getType());
  Value *subnormal = b.CreateFPToSI(b.CreateFMul(b.CreateBitCast(magnitude, value->getType()), scale), i.type);
  const auto smallest_normal = static_cast<std::uint32_t>(1 - format.bias + own_bias) << own_mantissa;
  Value *code = b.CreateSelect(i.above(magnitude, smallest_normal - 1), normal, subnormal);
  if (format.specials == Specials::Ieee) {
    Value *special =
        b.CreateOr(i.and_with(b.CreateLShr(magnitude, dropped), codes.magnitude), i.number(codes.overflow));
    code = b.CreateSelect(i.above(magnitude, own_infinity - 1), special, code);
  } else if (format.specials != Specials::Finite) {
    code = b.CreateSelect(i.above(magnitude, own_infinity), i.number(codes.nan), code);
  }
  const unsigned to_sign = 31 - format.exponent_bits - format.mantissa_bits;
  Value *sign = i.and_with(b.CreateLShr(bits, to_sign), codes.sign);
  return b.CreateTrunc(b.CreateOr(code, sign), code_type);
}

Value *emit_round(llvm::IRBuilderBase &b, Value *value, const FloatFormat &format) {
  return emit_decode(b, rounded_code(b, value, format), format);
}

}  // namespace bp::emit
