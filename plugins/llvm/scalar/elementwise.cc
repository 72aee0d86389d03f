#include "plugins/llvm/scalar/elementwise.h"

#include <llvm/IR/Intrinsics.h>

#include <algorithm>
#include <array>

#include "plugin_api/c/op_facts.h"
#include "plugins/llvm/scalar/avx512.h"
#include "plugins/llvm/scalar/complex.h"
#include "plugins/llvm/scalar/element_type.h"
#include "plugins/llvm/scalar/lanes.h"
#include "plugins/llvm/scalar/math.h"
#include "plugins/llvm/scalar/math_precision.h"

namespace bp::emit {
namespace {

using llvm::IRBuilderBase;
using llvm::Value;

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

Value *emit_convert(IRBuilderBase &b, std::uint16_t from, std::uint16_t to, Value *x);

Value *convert_to_complex(IRBuilderBase &b, std::uint16_t from, std::uint16_t to, Value *x) {
  const std::uint16_t part = part_type(to);
  if (is_complex(from)) {
    const ComplexParts parts = parts_of(b, x);
    return make_complex(b, {emit_convert(b, part_type(from), part, parts.real),
                            emit_convert(b, part_type(from), part, parts.imaginary)});
  }
  Value *imaginary = llvm::Constant::getNullValue(with_lanes_of(compute_type(b.getContext(), part), x));
  return make_complex(b, {emit_convert(b, from, part, x), imaginary});
}

// Converts a real number to a float.
Value *convert_to_float(IRBuilderBase &b, std::uint16_t from, std::uint16_t to, Value *x) {
  llvm::Type *type = with_lanes_of(compute_type(b.getContext(), to), x);
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

Value *emit_convert(IRBuilderBase &b, std::uint16_t from, std::uint16_t to, Value *x) {
  if (from == to) {
    return x;
  }
  if (is_complex(to)) {
    return convert_to_complex(b, from, to, x);
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
    return convert_to_float(b, from, to, x);
  }
  llvm::Type *type = with_lanes_of(compute_type(b.getContext(), to), x);
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

// Returns the bits of a float as a signed integer in total order.
Value *total_order(IRBuilderBase &b, std::uint16_t dtype, Value *x) {
  // f16 uses its own bits, because a conversion to f32 makes signalling NaNs quiet.
  Value *bits = dtype == BP_DTYPE_F16 ? compute_to_bits(b, x, dtype) : to_bits(b, x);
  // The bits of negative numbers have the reverse order, so all bits except the sign are flipped.
  return b.CreateXor(bits, b.CreateLShr(b.CreateAShr(bits, width_of(bits) - 1), 1));
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
  return b.CreateICmp(signed_order[direction], total_order(b, dtype, x), total_order(b, dtype, y));
}

// One element of an elementwise op: operands in compute types.
struct Element {
  IRBuilderBase &b;
  std::uint16_t from, to;  // element types: of the first operand, of the result
  std::span<Value *const> operands;
  const InstructionView *instruction;  // for ops with attributes; null where emit_binary() calls

  Value *x() const { return operands[0]; }
  Value *y() const { return operands[1]; }
  bool is_of_floats() const { return is_float(from); }
  Value *rounded(Value *value) const { return round_to_type(b, value, to); }
  // Formats of few bits may not contain the negative of a number, or of zero.
  Value *canonical(Value *value) const { return value_bits(to) <= 8 ? rounded(value) : value; }
};

template <UnaryEmitter Wide, UnaryEmitter Narrow = Wide>  // Narrow: for f16, bf16 and narrower
Value *function(const Element &e) {
  return e.rounded((is_narrow_float(e.to) ? Narrow : Wide)(e.b, e.x()));
}

Value *emit_is_finite(const Element &e) {
  Value *infinity = llvm::ConstantFP::getInfinity(e.x()->getType());
  return e.b.CreateFCmpOLT(e.b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, e.x()), infinity);
}

Value *emit_leading_zeros(const Element &e) {
  Value *zeros = emit_count_leading_zeros(e.b, own_bits(e.b, e.from, e.x()));
  return e.canonical(e.b.CreateSub(zeros, number(e.x(), width_of(e.x()) - value_bits(e.from))));
}

Value *emit_add(const Element &e) {
  if (e.from == BP_DTYPE_PRED) {
    return e.b.CreateOr(e.x(), e.y());
  }
  return e.rounded(e.is_of_floats() ? e.b.CreateFAdd(e.x(), e.y()) : e.b.CreateAdd(e.x(), e.y()));
}

Value *emit_multiply(const Element &e) {
  if (e.from == BP_DTYPE_PRED) {
    return e.b.CreateAnd(e.x(), e.y());
  }
  return e.rounded(e.is_of_floats() ? e.b.CreateFMul(e.x(), e.y()) : e.b.CreateMul(e.x(), e.y()));
}

template <bool IsMaximum>
Value *emit_extremum(const Element &e) {
  if (Value *result = e.is_of_floats() ? avx512_extremum(e.b, IsMaximum, e.x(), e.y()) : nullptr) {
    return result;
  }
  const bool with_sign = is_signed(e.from);
  const llvm::Intrinsic::ID id = e.is_of_floats() ? (IsMaximum ? llvm::Intrinsic::maximum : llvm::Intrinsic::minimum)
                                 : with_sign      ? (IsMaximum ? llvm::Intrinsic::smax : llvm::Intrinsic::smin)
                                                  : (IsMaximum ? llvm::Intrinsic::umax : llvm::Intrinsic::umin);
  Value *result = e.b.CreateBinaryIntrinsic(id, e.x(), e.y());
  // LLVM 19 computes this in f16. Where the machine has no f16 instructions, NaN and a zero of the preferred sign give
  // that zero.
  return e.from == BP_DTYPE_F16
             ? e.b.CreateSelect(e.b.CreateFCmpUNO(e.x(), e.y()), e.b.CreateFAdd(e.x(), e.y()), result)
             : result;
}

template <bool IsRemainder>
Value *divide_integers(const Element &e) {
  return emit_integer_division(e.b, is_signed(e.from), IsRemainder, e.x(), e.y());
}

template <std::uint16_t Op>
Value *shift(const Element &e) {
  return e.rounded(emit_shift(e.b, Op, e.from, e.x(), e.y()));
}

// The table of elementwise ops, one row per op. An op without a row is not claimed.
struct ElementwiseRow {
  std::uint16_t op;
  Value *(*emit)(const Element &e);
};
constexpr ElementwiseRow elementwise_rows[] = {
    {BP_OP_ABS, [](const Element &e) { return e.canonical(emit_abs(e.b, e.from, e.x())); }},
    {BP_OP_NEGATE,
     [](const Element &e) { return e.canonical(e.is_of_floats() ? e.b.CreateFNeg(e.x()) : e.b.CreateNeg(e.x())); }},
    {BP_OP_SIGN, [](const Element &e) { return e.canonical(emit_sign(e.b, e.from, e.x())); }},
    {BP_OP_NOT, [](const Element &e) { return e.canonical(e.b.CreateNot(e.x())); }},
    {BP_OP_CEIL, function<emit_ceil>},
    {BP_OP_FLOOR, function<emit_floor>},
    {BP_OP_ROUND_NEAREST_AFZ, function<emit_round_away>},
    {BP_OP_ROUND_NEAREST_EVEN, function<emit_round_even>},
    {BP_OP_EXPONENTIAL, function<emit_exp>},
    {BP_OP_EXPONENTIAL_MINUS_ONE, function<emit_expm1, emit_narrow_expm1>},
    {BP_OP_LOG, function<emit_log>},
    {BP_OP_LOG_PLUS_ONE, function<emit_log1p, emit_narrow_log1p>},
    {BP_OP_SQRT, function<emit_sqrt>},
    {BP_OP_RSQRT, function<emit_rsqrt>},
    {BP_OP_CBRT, function<emit_cbrt, emit_narrow_cbrt>},
    {BP_OP_SINE, function<emit_sin, emit_narrow_sin>},
    {BP_OP_COSINE, function<emit_cos, emit_narrow_cos>},
    {BP_OP_TAN, function<emit_tan, emit_narrow_tan>},
    {BP_OP_SINH, function<emit_sinh>},
    {BP_OP_COSH, function<emit_cosh>},
    {BP_OP_TANH, function<emit_tanh>},
    {BP_OP_ASIN, function<emit_asin>},
    {BP_OP_ACOS, function<emit_acos>},
    {BP_OP_ATAN, function<emit_atan>},
    {BP_OP_ASINH, function<emit_asinh>},
    {BP_OP_ACOSH, function<emit_acosh>},
    {BP_OP_ATANH, function<emit_atanh>},
    {BP_OP_ERF, function<emit_erf>},
    {BP_OP_LOGISTIC, function<emit_logistic, emit_narrow_logistic>},
    {BP_OP_IS_FINITE, emit_is_finite},
    {BP_OP_REAL, [](const Element &e) { return e.x(); }},
    {BP_OP_IMAG,
     [](const Element &e) -> Value * { return e.canonical(llvm::Constant::getNullValue(e.x()->getType())); }},
    {BP_OP_POPULATION_COUNT,
     [](const Element &e) { return e.canonical(emit_population_count(e.b, own_bits(e.b, e.from, e.x()))); }},
    {BP_OP_COUNT_LEADING_ZEROS, emit_leading_zeros},
    {BP_OP_CONVERT, [](const Element &e) { return emit_convert(e.b, e.from, e.to, e.x()); }},
    {BP_OP_REDUCE_PRECISION,
     [](const Element &e) {
       return emit_reduce_precision(e.b, e.from, e.x(), e.instruction->number(BP_ATTR_EXPONENT_BITS),
                                    e.instruction->number(BP_ATTR_MANTISSA_BITS));
     }},
    {BP_OP_COPY, [](const Element &e) { return e.x(); }},
    {BP_OP_ADD, emit_add},
    {BP_OP_SUBTRACT,
     [](const Element &e) {
       return e.rounded(e.is_of_floats() ? e.b.CreateFSub(e.x(), e.y()) : e.b.CreateSub(e.x(), e.y()));
     }},
    {BP_OP_MULTIPLY, emit_multiply},
    {BP_OP_DIVIDE,
     [](const Element &e) {
       return e.rounded(e.is_of_floats() ? e.b.CreateFDiv(e.x(), e.y()) : divide_integers<false>(e));
     }},
    {BP_OP_REMAINDER,
     [](const Element &e) {
       return e.rounded(e.is_of_floats() ? emit_remainder(e.b, e.x(), e.y()) : divide_integers<true>(e));
     }},
    {BP_OP_POWER,
     [](const Element &e) {
       return e.rounded(e.is_of_floats() ? emit_pow(e.b, e.x(), e.y())
                                         : emit_integer_power(e.b, is_signed(e.from), e.x(), e.y()));
     }},
    {BP_OP_ATAN2, [](const Element &e) { return e.rounded(emit_atan2(e.b, e.x(), e.y())); }},
    {BP_OP_MULTIPLY_HIGH, [](const Element &e) { return e.rounded(emit_multiply_high(e.b, e.from, e.x(), e.y())); }},
    {BP_OP_MAXIMUM, emit_extremum<true>},
    {BP_OP_MINIMUM, emit_extremum<false>},
    {BP_OP_AND, [](const Element &e) { return e.b.CreateAnd(e.x(), e.y()); }},
    {BP_OP_OR, [](const Element &e) { return e.b.CreateOr(e.x(), e.y()); }},
    {BP_OP_XOR, [](const Element &e) { return e.b.CreateXor(e.x(), e.y()); }},
    {BP_OP_SHIFT_LEFT, shift<BP_OP_SHIFT_LEFT>},
    {BP_OP_SHIFT_RIGHT_ARITHMETIC, shift<BP_OP_SHIFT_RIGHT_ARITHMETIC>},
    {BP_OP_SHIFT_RIGHT_LOGICAL, shift<BP_OP_SHIFT_RIGHT_LOGICAL>},
    {BP_OP_COMPARE, [](const Element &e) { return emit_compare(e.b, *e.instruction, e.x(), e.y()); }},
    {BP_OP_COMPLEX, [](const Element &e) { return make_complex(e.b, {e.x(), e.y()}); }},
    {BP_OP_CLAMP,
     [](const Element &e) {
       Value *at_least = emit_binary(e.b, BP_OP_MAXIMUM, e.to, e.operands[1], e.x());
       return emit_binary(e.b, BP_OP_MINIMUM, e.to, at_least, e.operands[2]);
     }},
    {BP_OP_SELECT, [](const Element &e) { return emit_select(e.b, e.x(), e.operands[1], e.operands[2]); }},
};

const ElementwiseRow *find_row(std::uint16_t op) {
  const auto found = std::ranges::find(elementwise_rows, op, &ElementwiseRow::op);
  return found == std::end(elementwise_rows) ? nullptr : &*found;
}

}  // namespace

bool is_elementwise(std::uint16_t op) {
  const bp_op_facts_t *facts = bp_op_facts(op);
  return facts != nullptr && (facts->traits & BP_TRAIT_ELEMENTWISE) != 0;
}

std::string elementwise_problem(InstructionView instruction) {
  const std::uint16_t op = instruction.op();
  if (find_row(op) == nullptr) {
    return "is not compiled";
  }
  const bool has_complex_code = op == BP_OP_COMPARE || op == BP_OP_COMPLEX || op == BP_OP_CONVERT ||
                                op == BP_OP_SELECT || is_complex_unary(op) || is_complex_binary(op);
  const std::uint16_t from = instruction.operand_shape(instruction.operand_count() - 1).dtype;
  const bool is_of_complex = is_complex(from) || is_complex(instruction.shape().dtype);
  return is_of_complex && !has_complex_code ? "is not compiled for complex numbers" : "";
}

Value *order_bits(IRBuilderBase &b, std::uint16_t dtype, Value *value) {
  Value *bits = is_float(dtype) ? total_order(b, dtype, value) : value;
  const bool is_flipped = is_float(dtype) || is_signed(dtype);
  return is_flipped
             ? b.CreateXor(bits, llvm::ConstantInt::get(bits->getType(), llvm::APInt::getSignMask(width_of(bits))))
             : bits;
}

Value *emit_binary(IRBuilderBase &b, std::uint16_t op, std::uint16_t dtype, Value *x, Value *y) {
  if (is_complex(dtype)) {
    return emit_complex_binary(b, op, dtype, x, y);
  }
  return find_row(op)->emit({b, dtype, dtype, std::array{x, y}, nullptr});
}

Value *emit_elementwise(IRBuilderBase &b, InstructionView instruction, std::span<Value *const> operands) {
  const std::uint16_t op = instruction.op(), from = instruction.operand_shape(0).dtype;
  if (is_complex(from) && is_complex_unary(op)) {
    return emit_complex_unary(b, op, from, operands[0]);
  }
  if (is_complex(from) && is_complex_binary(op)) {
    return emit_complex_binary(b, op, from, operands[0], operands[1]);
  }
  return find_row(op)->emit({b, from, instruction.shape().dtype, operands, &instruction});
}

}  // namespace bp::emit
