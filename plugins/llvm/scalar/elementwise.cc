#include "plugins/llvm/scalar/elementwise.h"

#include <llvm/IR/Intrinsics.h>

#include "plugins/llvm/scalar/complex.h"
#include "plugins/llvm/scalar/element_type.h"
#include "plugins/llvm/scalar/math.h"

namespace bp::emit {
namespace {

using llvm::IRBuilderBase;
using llvm::Value;

struct UnaryFunction {
  std::uint16_t op;
  UnaryEmitter emit;
  UnaryEmitter emit_narrow = emit;  // for f16 and bf16
};
// Float functions that need only a call.
constexpr UnaryFunction unary_functions[] = {
    {BP_OP_CEIL, emit_ceil},
    {BP_OP_FLOOR, emit_floor},
    {BP_OP_ROUND_NEAREST_AFZ, emit_round_away},
    {BP_OP_ROUND_NEAREST_EVEN, emit_round_even},
    {BP_OP_EXPONENTIAL, emit_exp},
    {BP_OP_EXPONENTIAL_MINUS_ONE, emit_expm1, emit_narrow_expm1},
    {BP_OP_LOG, emit_log},
    {BP_OP_LOG_PLUS_ONE, emit_log1p, emit_narrow_log1p},
    {BP_OP_SQRT, emit_sqrt},
    {BP_OP_RSQRT, emit_rsqrt},
    {BP_OP_CBRT, emit_cbrt, emit_narrow_cbrt},
    {BP_OP_SINE, emit_sin, emit_narrow_sin},
    {BP_OP_COSINE, emit_cos, emit_narrow_cos},
    {BP_OP_TAN, emit_tan, emit_narrow_tan},
    {BP_OP_SINH, emit_sinh},
    {BP_OP_COSH, emit_cosh},
    {BP_OP_TANH, emit_tanh},
    {BP_OP_ASIN, emit_asin},
    {BP_OP_ACOS, emit_acos},
    {BP_OP_ATAN, emit_atan},
    {BP_OP_ASINH, emit_asinh},
    {BP_OP_ACOSH, emit_acosh},
    {BP_OP_ATANH, emit_atanh},
    {BP_OP_ERF, emit_erf},
    {BP_OP_LOGISTIC, emit_logistic, emit_narrow_logistic},
};

UnaryEmitter find_unary_function(std::uint16_t op, std::uint16_t dtype) {
  for (const UnaryFunction &function : unary_functions) {
    if (function.op == op) {
      return is_narrow_float(dtype) ? function.emit_narrow : function.emit;
    }
  }
  return nullptr;
}

Value *integer_constant(Value *like, const llvm::APInt &value) {
  return llvm::ConstantInt::get(like->getType(), value);
}

Value *number(Value *like, std::int64_t value) {
  return llvm::ConstantInt::get(like->getType(), static_cast<std::uint64_t>(value), true);
}

unsigned width_of(Value *value) {
  return value->getType()->getScalarSizeInBits();
}

// Convert a float to an integer with the same bits, and back.
Value *to_bits(IRBuilderBase &b, Value *x) {
  return b.CreateBitCast(x, with_lanes_of(b.getIntNTy(width_of(x)), x));
}

Value *emit_abs(IRBuilderBase &b, std::uint16_t dtype, Value *x) {
  if (is_float(dtype)) {
    return b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x);
  }
  return is_signed(dtype) ? b.CreateBinaryIntrinsic(llvm::Intrinsic::abs, x, b.getFalse()) : x;
}

Value *emit_sign(IRBuilderBase &b, std::uint16_t dtype, Value *x) {
  if (is_float(dtype)) {
    Value *one = llvm::ConstantFP::get(x->getType(), 1.0);
    Value *zero = llvm::ConstantFP::get(x->getType(), 0.0);
    Value *signed_one = b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, one, x);
    return b.CreateSelect(b.CreateFCmpONE(x, zero), signed_one, x);
  }
  Value *positive = b.CreateZExt(b.CreateICmpNE(x, number(x, 0)), x->getType());
  return is_signed(dtype) ? b.CreateSelect(b.CreateICmpSLT(x, number(x, 0)), number(x, -1), positive) : positive;
}

// Rounds f64 to f32 to odd: inexact results get an odd last bit, so that a second rounding to a narrower type gives the
// same result as one rounding.
Value *truncate_to_odd(IRBuilderBase &b, Value *x) {
  Value *narrow = b.CreateFPTrunc(x, with_lanes_of(b.getFloatTy(), x));
  Value *wide = b.CreateFPExt(narrow, x->getType());
  Value *bits = to_bits(b, narrow);
  // Results that were rounded away from zero step back to the truncated value; then the last bit is set.
  Value *too_large = b.CreateFCmpOGT(b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, wide),
                                     b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x));
  Value *truncated = b.CreateSub(bits, b.CreateZExt(too_large, bits->getType()));
  Value *odd = b.CreateOr(truncated, number(bits, 1));
  Value *inexact = b.CreateFCmpONE(wide, x);
  return b.CreateBitCast(b.CreateSelect(inexact, odd, bits), narrow->getType());
}

// Rounds an integer to f32 to odd, in the same way.
Value *integer_to_odd(IRBuilderBase &b, bool with_sign, Value *x) {
  llvm::Type *type = with_lanes_of(b.getFloatTy(), x);
  Value *narrow = with_sign ? b.CreateSIToFP(x, type) : b.CreateUIToFP(x, type);
  Value *back = b.CreateIntrinsic(with_sign ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat,
                                  {x->getType(), type}, {narrow});
  Value *too_large = b.CreateICmpUGT(back, x);
  if (with_sign) {
    too_large = b.CreateSelect(b.CreateICmpSLT(x, number(x, 0)), b.CreateICmpSLT(back, x), b.CreateICmpSGT(back, x));
  }
  Value *bits = to_bits(b, narrow);
  Value *odd = b.CreateOr(b.CreateSub(bits, b.CreateZExt(too_large, bits->getType())), number(bits, 1));
  return b.CreateBitCast(b.CreateSelect(b.CreateICmpNE(back, x), odd, bits), type);
}

// Rounds an i64 to odd, to one that f64 can represent: a large number loses its low bits and becomes odd if they were
// not zero.
Value *fold_into_f64(IRBuilderBase &b, bool with_sign, Value *x) {
  constexpr std::int64_t last = 1 << 11, exact = std::int64_t{1} << 53;
  Value *rest = b.CreateAnd(x, number(x, last - 1)), *whole = b.CreateAnd(x, number(x, -last));
  Value *odd = b.CreateSelect(b.CreateICmpNE(rest, number(x, 0)), b.CreateOr(whole, number(x, last)), whole);
  Value *distance = with_sign ? b.CreateAdd(x, number(x, exact)) : x;
  return b.CreateSelect(b.CreateICmpUGT(distance, number(x, with_sign ? 2 * exact : exact)), odd, x);
}

Value *emit_convert(IRBuilderBase &b, std::uint16_t from, std::uint16_t to, Value *x) {
  llvm::Type *type = with_lanes_of(compute_type(b.getContext(), to), x);
  if (from == to) {
    return x;
  }
  if (is_complex(to)) {
    const std::uint16_t part = part_type(to);
    Value *imaginary = llvm::Constant::getNullValue(with_lanes_of(compute_type(b.getContext(), part), x));
    ComplexParts parts = {x, imaginary};
    if (is_complex(from)) {
      parts = parts_of(b, x);
      return make_complex(b, {emit_convert(b, part_type(from), part, parts.real),
                              emit_convert(b, part_type(from), part, parts.imaginary)});
    }
    return make_complex(b, {emit_convert(b, from, part, x), imaginary});
  }
  if (is_complex(from)) {
    const ComplexParts parts = parts_of(b, x);
    Value *real = emit_convert(b, part_type(from), to, parts.real);
    return to == BP_DTYPE_PRED ? b.CreateOr(real, emit_convert(b, part_type(from), to, parts.imaginary)) : real;
  }
  if (to == BP_DTYPE_PRED) {
    return is_float(from) ? b.CreateFCmpUNE(x, llvm::ConstantFP::get(x->getType(), 0.0))
                          : b.CreateICmpNE(x, number(x, 0));
  }
  if (is_float(to)) {
    if (!is_float(from)) {
      const bool exact_in_f32 = width_of(x) <= 16;
      if (is_narrow_float(to) && !exact_in_f32 && avoids_f64(b)) {
        return round_to_type(b, integer_to_odd(b, is_signed(from), x), to);
      }
      const bool via_f64 = is_narrow_float(to) && !exact_in_f32;
      x = via_f64 && width_of(x) == 64 ? fold_into_f64(b, is_signed(from), x) : x;
      llvm::Type *via = via_f64 ? with_lanes_of(b.getDoubleTy(), x) : type;
      x = is_signed(from) ? b.CreateSIToFP(x, via) : b.CreateUIToFP(x, via);
    }
    if (x->getType()->getScalarType()->isDoubleTy() && !type->getScalarType()->isDoubleTy()) {
      x = is_narrow_float(to) ? truncate_to_odd(b, x) : b.CreateFPTrunc(x, type);
    } else if (x->getType() != type) {
      x = b.CreateFPExt(x, type);
    }
    return round_to_type(b, x, to);
  }
  if (is_float(from)) {
    // Saturates to the range of the value's own width.
    llvm::Type *own = with_lanes_of(b.getIntNTy(value_bits(to)), x);
    x = b.CreateIntrinsic(is_signed(to) ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat,
                          {own, x->getType()}, {x});
    return is_signed(to) ? b.CreateSExt(x, type) : b.CreateZExt(x, type);
  }
  return round_to_type(b, is_signed(from) ? b.CreateSExtOrTrunc(x, type) : b.CreateZExtOrTrunc(x, type), to);
}

// Reduces the precision in the bits of the number's own format, f16, f32 or f64, including subnormals.
Value *emit_reduce_precision(IRBuilderBase &b, Value *x, std::int64_t exponent_bits, std::int64_t mantissa_bits) {
  const unsigned width = width_of(x);
  const std::int64_t own_mantissa = width == 64 ? 52 : width == 32 ? 23 : 10, own_exponent = width - 1 - own_mantissa;
  Value *original = to_bits(b, x);
  Value *bits = original;
  const auto constant = [&](std::uint64_t value) { return integer_constant(original, llvm::APInt(width, value)); };
  if (mantissa_bits < own_mantissa) {
    const std::uint64_t last = std::uint64_t{1} << (own_mantissa - mantissa_bits);
    Value *odd = b.CreateLShr(b.CreateAnd(bits, constant(last)), constant(own_mantissa - mantissa_bits));
    bits = b.CreateAnd(b.CreateAdd(bits, b.CreateAdd(odd, constant((last >> 1) - 1))), b.CreateNot(constant(last - 1)));
  }
  const std::uint64_t infinity = ((std::uint64_t{1} << own_exponent) - 1) << own_mantissa;
  if (exponent_bits < own_exponent) {
    const std::int64_t bias = (std::int64_t{1} << (own_exponent - 1)) - 1;
    const std::int64_t reduced_bias = (std::int64_t{1} << (exponent_bits - 1)) - 1;
    Value *sign = b.CreateAnd(bits, integer_constant(original, llvm::APInt::getSignMask(width)));
    Value *exponent = b.CreateAnd(bits, constant(infinity));
    const auto exponent_of = [&](std::int64_t e) { return constant(static_cast<std::uint64_t>(e) << own_mantissa); };
    Value *overflow = b.CreateICmpUGT(exponent, exponent_of(bias + reduced_bias));
    Value *underflow = b.CreateICmpULE(exponent, exponent_of(bias - reduced_bias));
    bits = b.CreateSelect(overflow, b.CreateOr(sign, constant(infinity)), bits);
    bits = b.CreateSelect(underflow, sign, bits);
  }
  return b.CreateBitCast(b.CreateSelect(b.CreateFCmpUNO(x, x), original, bits), x->getType());
}

// Reduces the precision of f16 and narrower types in f16, and that of types with the exponents of f32 in f32.
Value *emit_reduce_precision(IRBuilderBase &b, std::uint16_t dtype, Value *x, std::int64_t exponent_bits,
                             std::int64_t mantissa_bits) {
  const bool as_half = is_narrow_float(dtype) && dtype != BP_DTYPE_BF16 && dtype != BP_DTYPE_F8E8M0FNU;
  Value *own = as_half ? b.CreateFPTrunc(x, with_lanes_of(b.getHalfTy(), x)) : x;
  Value *reduced = emit_reduce_precision(b, own, exponent_bits, mantissa_bits);
  return round_to_type(b, as_half ? b.CreateFPExt(reduced, x->getType()) : reduced, dtype);
}

Value *emit_integer_division(IRBuilderBase &b, bool with_sign, bool remainder, Value *x, Value *y) {
  Value *by_zero = b.CreateICmpEQ(y, number(y, 0));
  Value *unsafe = by_zero;
  if (with_sign) {
    Value *minimum = integer_constant(x, llvm::APInt::getSignedMinValue(width_of(x)));
    unsafe = b.CreateOr(unsafe, b.CreateAnd(b.CreateICmpEQ(x, minimum), b.CreateICmpEQ(y, number(y, -1))));
  }
  Value *safe = b.CreateSelect(unsafe, number(y, 1), y);
  if (remainder) {
    return b.CreateSelect(by_zero, x, with_sign ? b.CreateSRem(x, safe) : b.CreateURem(x, safe));
  }
  return b.CreateSelect(by_zero, number(x, -1), with_sign ? b.CreateSDiv(x, safe) : b.CreateUDiv(x, safe));
}

// Computes an integer power by squaring and multiplying. A negative exponent gives 1 / x^-y, truncated.
Value *emit_integer_power(IRBuilderBase &b, bool with_sign, Value *x, Value *y) {
  Value *result = number(x, 1);
  Value *square = x;
  for (unsigned bit = 0; bit < width_of(x); ++bit) {
    Value *set =
        b.CreateICmpNE(b.CreateAnd(y, integer_constant(y, llvm::APInt::getOneBitSet(width_of(x), bit))), number(y, 0));
    result = b.CreateSelect(set, b.CreateMul(result, square), result);
    square = b.CreateMul(square, square);
  }
  if (!with_sign) {
    return result;
  }
  Value *odd = b.CreateICmpNE(b.CreateAnd(y, number(y, 1)), number(y, 0));
  Value *inverse = b.CreateSelect(b.CreateICmpEQ(x, number(x, 1)), number(x, 1), number(x, 0));
  inverse = b.CreateSelect(b.CreateICmpEQ(x, number(x, -1)), b.CreateSelect(odd, number(x, -1), number(x, 1)), inverse);
  return b.CreateSelect(b.CreateICmpSLT(y, number(y, 0)), inverse, result);
}

Value *emit_multiply_high(IRBuilderBase &b, std::uint16_t dtype, Value *x, Value *y) {
  llvm::Type *wide = with_lanes_of(b.getIntNTy(2 * width_of(x)), x);
  const auto extend = [&](Value *v) { return is_signed(dtype) ? b.CreateSExt(v, wide) : b.CreateZExt(v, wide); };
  return b.CreateTrunc(b.CreateLShr(b.CreateMul(extend(x), extend(y)), value_bits(dtype)), x->getType());
}

// Returns the bits of an integer of less than 8 bits, without its sign or zero extension.
Value *own_bits(IRBuilderBase &b, std::uint16_t dtype, Value *x) {
  const unsigned bits = value_bits(dtype);
  return bits == width_of(x) ? x : b.CreateAnd(x, number(x, (1 << bits) - 1));
}

Value *emit_shift(IRBuilderBase &b, std::uint16_t op, std::uint16_t dtype, Value *x, Value *y) {
  const unsigned bits = value_bits(dtype), unused = width_of(x) - bits;
  Value *in_range = b.CreateICmpULT(y, number(y, bits));
  Value *amount = b.CreateSelect(in_range, y, number(y, bits - 1));
  if (op == BP_OP_SHIFT_RIGHT_ARITHMETIC) {
    return b.CreateAShr(b.CreateAShr(b.CreateShl(x, unused), unused), amount);
  }
  Value *shifted = op == BP_OP_SHIFT_LEFT ? b.CreateShl(x, amount) : b.CreateLShr(own_bits(b, dtype, x), amount);
  return b.CreateSelect(in_range, shifted, number(x, 0));
}

Value *emit_compare(IRBuilderBase &b, InstructionView instruction, Value *x, Value *y) {
  const std::uint16_t dtype = instruction.operand_shape(0).dtype;
  const std::int64_t direction = instruction.number(BP_ATTR_DIRECTION);
  const bool total = instruction.number(BP_ATTR_COMPARISON_TYPE, -1) == BP_COMPARISON_TYPE_TOTAL_ORDER;
  using P = llvm::CmpInst::Predicate;
  // Predicates by number of the direction: EQ, NE, GE, GT, LE, LT.
  constexpr P ordered[] = {P::FCMP_OEQ, P::FCMP_UNE, P::FCMP_OGE, P::FCMP_OGT, P::FCMP_OLE, P::FCMP_OLT};
  constexpr P signed_order[] = {P::ICMP_EQ, P::ICMP_NE, P::ICMP_SGE, P::ICMP_SGT, P::ICMP_SLE, P::ICMP_SLT};
  constexpr P unsigned_order[] = {P::ICMP_EQ, P::ICMP_NE, P::ICMP_UGE, P::ICMP_UGT, P::ICMP_ULE, P::ICMP_ULT};
  if (is_complex(dtype)) {  // only EQ and NE
    const ComplexParts left = parts_of(b, x), right = parts_of(b, y);
    Value *re = b.CreateFCmp(ordered[direction], left.real, right.real);
    Value *im = b.CreateFCmp(ordered[direction], left.imaginary, right.imaginary);
    return direction == 0 ? b.CreateAnd(re, im) : b.CreateOr(re, im);
  }
  if (!is_float(dtype)) {
    return b.CreateICmp(is_signed(dtype) ? signed_order[direction] : unsigned_order[direction], x, y);
  }
  if (!total) {
    return b.CreateFCmp(ordered[direction], x, y);
  }
  // The bits of negative numbers have the reverse order, so all bits except the sign are flipped. f16 uses its own
  // bits, because a conversion to f32 makes signalling NaNs quiet.
  const auto key = [&](Value *v) {
    Value *bits = dtype == BP_DTYPE_F16 ? compute_to_bits(b, v, dtype) : to_bits(b, v);
    Value *flip = b.CreateLShr(b.CreateAShr(bits, width_of(bits) - 1), 1);
    return b.CreateXor(bits, flip);
  };
  return b.CreateICmp(signed_order[direction], key(x), key(y));
}

}  // namespace

bool is_elementwise(std::uint16_t op) {
  return op >= BP_OP_ABS && op <= BP_OP_SELECT && op != BP_OP_BITCAST_CONVERT;
}

namespace {

// Returns the result type of ops that have no choice of it.
std::uint16_t result_type(std::uint16_t op, std::uint16_t from) {
  switch (op) {
    case BP_OP_COMPARE:
    case BP_OP_IS_FINITE: return BP_DTYPE_PRED;
    case BP_OP_COMPLEX: return from == BP_DTYPE_F32 ? BP_DTYPE_C64 : from == BP_DTYPE_F64 ? BP_DTYPE_C128 : 0;
    case BP_OP_ABS:
    case BP_OP_REAL:
    case BP_OP_IMAG: return is_complex(from) ? part_type(from) : from;
    default: return from;
  }
}

std::string complex_problem(InstructionView instruction) {
  const std::uint16_t op = instruction.op();
  switch (op) {
    case BP_OP_COMPLEX:
    case BP_OP_CONVERT:
    case BP_OP_SELECT: return {};
    case BP_OP_COMPARE: {
      const std::int64_t direction = instruction.number(BP_ATTR_DIRECTION, -1);
      return direction == 0 || direction == 1 ? "" : "orders complex numbers";
    }
    default: return is_complex_unary(op) || is_complex_binary(op) ? "" : "is not compiled for complex numbers";
  }
}

}  // namespace

std::string elementwise_problem(InstructionView instruction) {
  const std::uint16_t op = instruction.op();
  const std::size_t arity = op < BP_OP_ADD ? 1 : op == BP_OP_CLAMP || op == BP_OP_SELECT ? 3 : 2;
  if (instruction.operand_count() != arity || instruction.result_count() != 1) {
    return "has a wrong number of operands or results";
  }
  const std::uint16_t from = instruction.operand_shape(arity == 3 ? 1 : 0).dtype;
  const std::uint16_t to = instruction.shape().dtype;
  for (std::size_t i = 1; i < arity; ++i) {
    if (instruction.operand_shape(i).dtype != from) {
      return "has operands of different types";
    }
  }
  if (op == BP_OP_SELECT ? instruction.operand_shape(0).dtype != BP_DTYPE_PRED
                         : arity == 3 && instruction.operand_shape(0).dtype != from) {
    return "has operands of wrong types";
  }
  if (op != BP_OP_CONVERT && to != result_type(op, from)) {
    return "has a result of a wrong type";
  }
  if (is_complex(from) || is_complex(to)) {
    return complex_problem(instruction);
  }
  switch (op) {
    case BP_OP_STOCHASTIC_CONVERT: return "is not compiled";
    case BP_OP_REDUCE_PRECISION: {
      const std::int64_t exponent = instruction.number(BP_ATTR_EXPONENT_BITS),
                         mantissa = instruction.number(BP_ATTR_MANTISSA_BITS, -1);
      return is_float(from) && exponent >= 1 && mantissa >= 0 ? "" : "needs floats";
    }
    case BP_OP_COMPARE: {
      const std::int64_t direction = instruction.number(BP_ATTR_DIRECTION, -1);
      return direction >= 0 && direction <= 5 ? "" : "has no known direction";
    }
    case BP_OP_IS_FINITE: return is_float(from) ? "" : "needs floats";
    case BP_OP_POPULATION_COUNT:
    case BP_OP_COUNT_LEADING_ZEROS:
    case BP_OP_MULTIPLY_HIGH:
    case BP_OP_SHIFT_LEFT:
    case BP_OP_SHIFT_RIGHT_ARITHMETIC:
    case BP_OP_SHIFT_RIGHT_LOGICAL: return is_integer(from) ? "" : "needs integers";
    case BP_OP_NOT:
    case BP_OP_AND:
    case BP_OP_OR:
    case BP_OP_XOR: return is_float(from) ? "needs integers" : "";
    case BP_OP_ATAN2: return is_float(from) ? "" : "needs floats";
    case BP_OP_ABS:
    case BP_OP_NEGATE:
    case BP_OP_SIGN:
    case BP_OP_SUBTRACT:
    case BP_OP_DIVIDE:
    case BP_OP_REMAINDER:
    case BP_OP_POWER: return from == BP_DTYPE_PRED ? "needs numbers" : "";
    default: return find_unary_function(op, from) == nullptr || is_float(from) ? "" : "needs floats";
  }
}

Value *emit_binary(IRBuilderBase &b, std::uint16_t op, std::uint16_t dtype, Value *x, Value *y) {
  if (is_complex(dtype)) {
    return emit_complex_binary(b, op, dtype, x, y);
  }
  const bool floats = is_float(dtype), with_sign = is_signed(dtype), pred = dtype == BP_DTYPE_PRED;
  const auto rounded = [&](Value *value) { return round_to_type(b, value, dtype); };
  switch (op) {
    case BP_OP_ADD: return pred ? b.CreateOr(x, y) : rounded(floats ? b.CreateFAdd(x, y) : b.CreateAdd(x, y));
    case BP_OP_SUBTRACT: return rounded(floats ? b.CreateFSub(x, y) : b.CreateSub(x, y));
    case BP_OP_MULTIPLY: return pred ? b.CreateAnd(x, y) : rounded(floats ? b.CreateFMul(x, y) : b.CreateMul(x, y));
    case BP_OP_DIVIDE: return rounded(floats ? b.CreateFDiv(x, y) : emit_integer_division(b, with_sign, false, x, y));
    case BP_OP_REMAINDER:
      return rounded(floats ? emit_remainder(b, x, y) : emit_integer_division(b, with_sign, true, x, y));
    case BP_OP_POWER: return rounded(floats ? emit_pow(b, x, y) : emit_integer_power(b, with_sign, x, y));
    case BP_OP_ATAN2: return rounded(emit_atan2(b, x, y));
    case BP_OP_MULTIPLY_HIGH: return rounded(emit_multiply_high(b, dtype, x, y));
    case BP_OP_MAXIMUM:
    case BP_OP_MINIMUM: {
      const bool larger = op == BP_OP_MAXIMUM;
      const llvm::Intrinsic::ID id = floats      ? (larger ? llvm::Intrinsic::maximum : llvm::Intrinsic::minimum)
                                     : with_sign ? (larger ? llvm::Intrinsic::smax : llvm::Intrinsic::smin)
                                                 : (larger ? llvm::Intrinsic::umax : llvm::Intrinsic::umin);
      Value *result = b.CreateBinaryIntrinsic(id, x, y);
      // LLVM 19 computes this in f16. Where the machine has no f16 instructions, NaN and a zero of the preferred sign
      // give that zero.
      return dtype == BP_DTYPE_F16 ? b.CreateSelect(b.CreateFCmpUNO(x, y), b.CreateFAdd(x, y), result) : result;
    }
    case BP_OP_AND: return b.CreateAnd(x, y);
    case BP_OP_OR: return b.CreateOr(x, y);
    case BP_OP_XOR: return b.CreateXor(x, y);
    default: return rounded(emit_shift(b, op, dtype, x, y));
  }
}

Value *emit_elementwise(IRBuilderBase &b, InstructionView instruction, std::span<Value *const> operands) {
  const std::uint16_t op = instruction.op();
  const std::uint16_t from = instruction.operand_shape(0).dtype;
  const std::uint16_t to = instruction.shape().dtype;
  Value *x = operands[0];
  // Formats of few bits may not contain the negative of a number, or of zero.
  const auto canonical = [&](Value *value) { return value_bits(to) <= 8 ? round_to_type(b, value, to) : value; };
  if (is_complex(from) && is_complex_unary(op)) {
    return emit_complex_unary(b, op, from, x);
  }
  switch (op) {
    case BP_OP_COMPLEX: return make_complex(b, {x, operands[1]});
    case BP_OP_ABS: return canonical(emit_abs(b, from, x));
    case BP_OP_NEGATE: return canonical(is_float(from) ? b.CreateFNeg(x) : b.CreateNeg(x));
    case BP_OP_SIGN: return canonical(emit_sign(b, from, x));
    case BP_OP_NOT: return canonical(b.CreateNot(x));
    case BP_OP_IS_FINITE: {
      Value *infinity = llvm::ConstantFP::getInfinity(x->getType());
      return b.CreateFCmpOLT(b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x), infinity);
    }
    case BP_OP_REAL:
    case BP_OP_COPY: return x;
    case BP_OP_IMAG: return canonical(llvm::Constant::getNullValue(x->getType()));
    case BP_OP_POPULATION_COUNT: return canonical(emit_population_count(b, own_bits(b, from, x)));
    case BP_OP_COUNT_LEADING_ZEROS: {
      Value *zeros = emit_count_leading_zeros(b, own_bits(b, from, x));
      return canonical(b.CreateSub(zeros, number(x, width_of(x) - value_bits(from))));
    }
    case BP_OP_CONVERT: return emit_convert(b, from, to, x);
    case BP_OP_REDUCE_PRECISION:
      return emit_reduce_precision(b, from, x, instruction.number(BP_ATTR_EXPONENT_BITS),
                                   instruction.number(BP_ATTR_MANTISSA_BITS));
    case BP_OP_COMPARE: return emit_compare(b, instruction, x, operands[1]);
    case BP_OP_CLAMP:
      return emit_binary(b, BP_OP_MINIMUM, to, emit_binary(b, BP_OP_MAXIMUM, to, operands[1], x), operands[2]);
    case BP_OP_SELECT: return emit_select(b, x, operands[1], operands[2]);
    default: break;
  }
  if (const UnaryEmitter function = find_unary_function(op, to)) {
    return round_to_type(b, function(b, x), to);
  }
  return emit_binary(b, op, from, x, operands[1]);
}

}  // namespace bp::emit
