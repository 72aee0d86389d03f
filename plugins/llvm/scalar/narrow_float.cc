#include "plugins/llvm/scalar/narrow_float.h"

#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "plugins/llvm/scalar/lanes.h"

namespace bp::emit {
namespace {

using llvm::Value;

constexpr unsigned own_mantissa = 23;
constexpr int own_bias = 127;
constexpr std::uint32_t own_infinity = 0x7f800000, own_nan = 0x7fc00000, own_sign = 0x80000000;

constexpr std::uint32_t ones(unsigned count) {
  return (std::uint32_t{1} << count) - 1;
}

// Codes of a format, with sign bit zero unless stated otherwise.
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

constexpr const char *conversion_flag = "narrow_conversion";

NarrowConversion narrow_conversion(const llvm::IRBuilderBase &b) {
  if (b.GetInsertBlock() == nullptr) {  // constants are being folded
    return NarrowConversion::Integers;
  }
  const llvm::Module &module = *b.GetInsertBlock()->getModule();
  const auto *flag = llvm::mdconst::extract_or_null<llvm::ConstantInt>(module.getModuleFlag(conversion_flag));
  return flag == nullptr ? NarrowConversion::Integers : static_cast<NarrowConversion>(flag->getZExtValue());
}

// A format to which a GPU's instruction converts f32, two numbers at a time. Overflow gives the largest finite number;
// NaN gives the code of all ones without a sign.
struct Instruction {
  const char *name;
  Specials specials;
  unsigned mantissa_bits;
  std::uint32_t last_rounded;  // the bits of the largest f32 that does not overflow
};
constexpr Instruction instructions[] = {
    {"e4m3x2", Specials::FiniteNan, 3,
     0x43e80000},  // 464, half way to 480, the next number if it existed; the even neighbour is 448
    {"e5m2x2", Specials::Ieee, 2, 0x476fffff},  // just below 61440, whose even neighbour is infinite
};

// Returns nullptr if there is none.
const Instruction *find_instruction(const llvm::IRBuilderBase &b, const FloatFormat &format) {
  const NarrowConversion conversion = narrow_conversion(b);
  if (conversion != NarrowConversion::Instructions && conversion != NarrowConversion::LikeInstructions) {
    return nullptr;
  }
  for (const Instruction &instruction : instructions) {
    const bool is_of_8_bits = format.exponent_bits + format.mantissa_bits == 7;
    const bool has_usual_bias = format.bias == (1 << (format.exponent_bits - 1)) - 1;
    if (is_of_8_bits && has_usual_bias && instruction.specials == format.specials &&
        instruction.mantissa_bits == format.mantissa_bits) {
      return &instruction;
    }
  }
  return nullptr;
}

// Returns a vector, or a scalar, of `element`: calls `emit`, which gives a vector of two, for each two lanes of a
// vector, or for a scalar twice.
template <typename Emit>
Value *by_pairs(llvm::IRBuilderBase &b, Value *value, llvm::Type *element, const Emit &emit) {
  const auto *type = llvm::dyn_cast<llvm::FixedVectorType>(value->getType());
  const auto lane = [&](unsigned i) { return type == nullptr ? value : b.CreateExtractElement(value, i); };
  const unsigned count = type == nullptr ? 1 : type->getNumElements();
  Value *result = type == nullptr ? nullptr : llvm::PoisonValue::get(llvm::FixedVectorType::get(element, count));
  for (unsigned i = 0; i < count; i += 2) {
    Value *pair = emit(lane(i), lane(i + 1 < count ? i + 1 : i));
    if (type == nullptr) {
      return b.CreateExtractElement(pair, std::uint64_t{0});
    }
    for (unsigned j = i; j < std::min(i + 2, count); ++j) {
      result = b.CreateInsertElement(result, b.CreateExtractElement(pair, j - i), j);
    }
  }
  return result;
}

Value *assembly(llvm::IRBuilderBase &b, const std::string &code, const char *constraints, llvm::Type *result,
                llvm::ArrayRef<Value *> arguments) {
  std::vector<llvm::Type *> types;
  for (const Value *argument : arguments) {
    types.push_back(argument->getType());
  }
  return b.CreateCall(llvm::InlineAsm::get(llvm::FunctionType::get(result, types, false), code, constraints, false),
                      arguments);
}

// Encodes the Scale format, powers of two only: half way rounds up, and numbers that are not positive and finite have
// no code.
Value *encode_scale(const Bits &i, Value *bits) {
  llvm::IRBuilderBase &b = i.b;
  Value *half = i.and_with(b.CreateLShr(bits, own_mantissa - 1), 1);
  Value *normal = b.CreateAdd(b.CreateLShr(bits, own_mantissa), half);
  // Subnormals: 2^-127 has code 0, and smaller numbers get it, too.
  Value *subnormal = b.CreateZExt(i.above(bits, 0x005fffff), i.type);
  Value *code = b.CreateSelect(i.above(bits, ones(own_mantissa)), normal, subnormal);
  Value *none = b.CreateOr(i.equal(bits, 0), i.above(bits, own_infinity - 1));  // negative numbers are above, too
  return b.CreateSelect(b.CreateOr(none, i.above(code, 254)), i.number(255), code);
}

// Returns the code of the nearest number in the format, as an i32.
Value *code_by_integers(llvm::IRBuilderBase &b, Value *value, const FloatFormat &format, const Codes &codes) {
  const Bits i{b, with_lanes_of(b.getInt32Ty(), value)};
  Value *bits = b.CreateBitCast(value, i.type);
  if (format.specials == Specials::Scale) {
    return encode_scale(i, bits);
  }
  Value *sign = i.and_with(b.CreateLShr(bits, 31 - format.exponent_bits - format.mantissa_bits), codes.sign);
  Value *magnitude = i.and_with(bits, ~own_sign);
  Value *exponent = b.CreateLShr(magnitude, own_mantissa);
  Value *significand = b.CreateOr(i.and_with(magnitude, ones(own_mantissa)), i.number(ones(own_mantissa) + 1));
  // Bits below the last mantissa bit are rounded; a carry propagates into the exponent by itself. Subnormals of f32 are
  // far below half of any code, like every number that drops at least two bits more than it has.
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
  return b.CreateOr(code, sign);
}

// Returns the result of the instruction, as an i32.
Value *code_by_instruction(llvm::IRBuilderBase &b, Value *value, const FloatFormat &format,
                           const Instruction &instruction) {
  const Bits i{b, with_lanes_of(b.getInt32Ty(), value)};
  if (narrow_conversion(b) == NarrowConversion::LikeInstructions) {
    Codes codes(format);
    codes.overflow = codes.largest;
    Value *code = code_by_integers(b, value, format, codes);
    return b.CreateSelect(b.CreateFCmpUNO(value, value), i.number(codes.magnitude), code);
  }
  auto *pair_type = llvm::FixedVectorType::get(b.getInt8Ty(), 2);
  Value *codes = by_pairs(b, value, b.getInt8Ty(), [&](Value *first, Value *second) {
    const std::string code = std::string("cvt.rn.satfinite.") + instruction.name + ".f32 $0, $2, $1;";
    return b.CreateBitCast(assembly(b, code, "=h,f,f", b.getInt16Ty(), {first, second}), pair_type);
  });
  return b.CreateZExt(codes, i.type);
}

// Returns the code of the nearest number in the format.
Value *rounded_code(llvm::IRBuilderBase &b, Value *value, const FloatFormat &format) {
  llvm::Type *code_type = with_lanes_of(b.getInt8Ty(), value);
  const Codes codes(format);
  const Instruction *instruction = find_instruction(b, format);
  if (instruction == nullptr) {
    return b.CreateTrunc(code_by_integers(b, value, format, codes), code_type);
  }
  const Bits i{b, with_lanes_of(b.getInt32Ty(), value)};
  Value *bits = b.CreateBitCast(value, i.type);
  Value *magnitude = i.and_with(bits, ~own_sign);
  Value *code = code_by_instruction(b, value, format, *instruction);
  code = b.CreateSelect(i.above(magnitude, instruction->last_rounded), i.number(codes.overflow), code);
  code = b.CreateSelect(i.above(magnitude, own_infinity), i.number(codes.nan), code);
  return b.CreateTrunc(b.CreateOr(code, i.and_with(b.CreateLShr(bits, 24), codes.sign)), code_type);
}

// A finite code, an i32, as a float: without its sign if has_sign is false.
struct Decoded {
  Value *value;
  bool has_sign;
};
Decoded decode_finite(llvm::IRBuilderBase &b, Value *code, const FloatFormat &format) {
  const Bits i{b, code->getType()};
  llvm::Type *float_type = with_lanes_of(b.getFloatTy(), code);
  const Instruction *instruction = find_instruction(b, format);
  const NarrowConversion conversion = narrow_conversion(b);
  const auto from_half = [&](Value *half) { return Decoded{b.CreateFPExt(half, float_type), true}; };
  // The codes are the upper bytes of f16.
  if (conversion != NarrowConversion::Integers && format.specials == Specials::Ieee && format.mantissa_bits == 2) {
    Value *half = b.CreateTrunc(b.CreateShl(code, 8), with_lanes_of(b.getInt16Ty(), code));
    return from_half(b.CreateBitCast(half, with_lanes_of(b.getHalfTy(), code)));
  }
  if (conversion == NarrowConversion::Instructions && instruction != nullptr) {
    auto *pair_type = llvm::FixedVectorType::get(b.getHalfTy(), 2);
    Value *bytes = b.CreateTrunc(code, with_lanes_of(b.getInt8Ty(), code));
    return from_half(by_pairs(b, bytes, b.getHalfTy(), [&](Value *first, Value *second) {
      Value *pair = llvm::PoisonValue::get(llvm::FixedVectorType::get(b.getInt8Ty(), 2));
      pair = b.CreateInsertElement(b.CreateInsertElement(pair, first, std::uint64_t{0}), second, std::uint64_t{1});
      const std::string text = std::string("cvt.rn.f16x2.") + instruction->name + " $0, $1;";
      return b.CreateBitCast(assembly(b, text, "=r,h", b.getInt32Ty(), {b.CreateBitCast(pair, b.getInt16Ty())}),
                             pair_type);
    }));
  }
  Value *magnitude = i.and_with(code, Codes(format).magnitude);
  Value *aligned = b.CreateShl(magnitude, own_mantissa - format.mantissa_bits);
  const auto power = [&](int exponent) {
    return b.CreateBitCast(i.number(static_cast<std::uint32_t>(exponent + own_bias) << own_mantissa), float_type);
  };
  if (conversion != NarrowConversion::Integers) {
    return {b.CreateFMul(b.CreateBitCast(aligned, float_type), power(own_bias - format.bias)), false};
  }
  Value *normal = i.add(aligned, (own_bias - format.bias) * (std::int64_t{1} << own_mantissa));
  Value *unit = power(1 - format.bias - static_cast<int>(format.mantissa_bits));
  Value *subnormal = b.CreateFMul(b.CreateSIToFP(magnitude, float_type), unit);
  return {
      b.CreateSelect(i.above(magnitude, ones(format.mantissa_bits)), b.CreateBitCast(normal, float_type), subnormal),
      false};
}

}  // namespace

void set_narrow_conversion(llvm::Module &module, NarrowConversion conversion) {
  module.addModuleFlag(llvm::Module::Override, conversion_flag, static_cast<std::uint32_t>(conversion));
}

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
  const unsigned to_sign = 31 - format.exponent_bits - format.mantissa_bits;
  Value *sign = i.and_with(b.CreateShl(code, to_sign), own_sign);
  auto [value, has_sign] = decode_finite(b, code, format);
  if (!has_sign) {
    value = b.CreateBitCast(b.CreateOr(b.CreateBitCast(value, i.type), sign), float_type);
  }
  const auto with_special = [&](Value *is_special, Value *special) {
    return b.CreateSelect(is_special, b.CreateBitCast(b.CreateOr(special, sign), float_type), value);
  };
  switch (format.specials) {
    case Specials::Ieee:
      return with_special(i.above(magnitude, codes.largest), b.CreateOr(aligned, i.number(own_infinity)));
    case Specials::FiniteNan: return with_special(i.equal(magnitude, codes.nan), i.number(own_nan));
    case Specials::UnsignedZero:
      return with_special(i.equal(i.and_with(code, codes.sign | codes.magnitude), codes.nan), i.number(own_nan));
    default: return value;
  }
}

Value *emit_encode(llvm::IRBuilderBase &b, Value *value, const FloatFormat &format) {
  const Bits i{b, with_lanes_of(b.getInt32Ty(), value)};
  llvm::Type *code_type = with_lanes_of(b.getInt8Ty(), value);
  const Codes codes(format);
  Value *bits = b.CreateBitCast(value, i.type);
  const unsigned dropped = own_mantissa - format.mantissa_bits;
  if (format.specials == Specials::Scale) {  // the codes are the exponents of f32
    return b.CreateTrunc(b.CreateLShr(bits, dropped), code_type);
  }
  Value *magnitude = i.and_with(bits, ~own_sign);
  const std::int64_t rebias = (std::int64_t{own_bias} - format.bias) * (std::int64_t{1} << format.mantissa_bits);
  const auto finite_code = [&]() -> Value * {
    if (const Instruction *instruction = find_instruction(b, format)) {
      return code_by_instruction(b, value, format, *instruction);
    }
    if (narrow_conversion(b) != NarrowConversion::Integers) {
      const float scale = std::ldexp(1.0F, format.bias - own_bias);
      Value *scaled =
          b.CreateFMul(b.CreateBitCast(magnitude, value->getType()), llvm::ConstantFP::get(value->getType(), scale));
      return b.CreateLShr(b.CreateBitCast(scaled, i.type), dropped);
    }
    Value *normal = i.add(b.CreateLShr(magnitude, dropped), -rebias);
    // Below the normal numbers, the code counts units in the last place.
    const int units = format.bias - 1 + static_cast<int>(format.mantissa_bits);
    Value *scale =
        b.CreateBitCast(i.number(static_cast<std::uint32_t>(own_bias + units) << own_mantissa), value->getType());
    Value *subnormal = b.CreateFPToSI(b.CreateFMul(b.CreateBitCast(magnitude, value->getType()), scale), i.type);
    const auto smallest_normal = static_cast<std::uint32_t>(1 - format.bias + own_bias) << own_mantissa;
    return b.CreateSelect(i.above(magnitude, smallest_normal - 1), normal, subnormal);
  };
  Value *code = finite_code();
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
