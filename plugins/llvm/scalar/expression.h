// A value in LLVM IR with arithmetic operators, so that numerical code reads like its formula. Operators choose the
// integer or floating-point instruction by type; a plain number on the right becomes a constant of the type on the
// left.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <limits>
#include <span>

#include "plugins/llvm/scalar/avx512.h"

namespace bp::emit {

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double quiet_nan = std::numeric_limits<double>::quiet_NaN();

class Expression {
 public:
  Expression(llvm::IRBuilderBase &builder, llvm::Value *value) : builder_(&builder), value_(value) {}

  llvm::IRBuilderBase &builder() const { return *builder_; }
  llvm::Value *value() const { return value_; }
  llvm::Type *type() const { return value_->getType(); }
  bool is_float() const { return type()->isFPOrFPVectorTy(); }
  bool is_f64() const { return type()->getScalarType()->isDoubleTy(); }
  // Returns the number of stored bits of the fraction: 23 or 52.
  int fraction_bits() const { return is_f64() ? 52 : 23; }
  int exponent_bias() const { return is_f64() ? 1023 : 127; }

  Expression with(llvm::Value *value) const { return {*builder_, value}; }
  Expression constant(double number) const {
    return with(is_float() ? llvm::ConstantFP::get(type(), number)
                           : llvm::ConstantInt::getSigned(type(), static_cast<int64_t>(number)));
  }
  // Returns the type with the same number of lanes and elements of type `element`.
  llvm::Type *lanes_of(llvm::Type *element) const {
    auto *vector = llvm::dyn_cast<llvm::VectorType>(type());
    return vector ? llvm::VectorType::get(element, vector->getElementCount()) : element;
  }

  // Reinterpret a float as an integer of the same width, and back.
  Expression bits() const {
    return with(builder_->CreateBitCast(value_, lanes_of(builder_->getIntNTy(type()->getScalarSizeInBits()))));
  }
  Expression as_float() const {
    bool is_wide = type()->getScalarSizeInBits() == 64;
    return with(builder_->CreateBitCast(value_, lanes_of(is_wide ? builder_->getDoubleTy() : builder_->getFloatTy())));
  }
  Expression to_f64() const { return with(builder_->CreateFPExt(value_, lanes_of(builder_->getDoubleTy()))); }
  Expression to_f32() const { return with(builder_->CreateFPTrunc(value_, lanes_of(builder_->getFloatTy()))); }

 private:
  llvm::IRBuilderBase *builder_;
  llvm::Value *value_;
};

#define BP_EXPRESSION_OPERATOR(OPERATOR, FLOAT, INTEGER)                          \
  inline Expression operator OPERATOR(const Expression &x, const Expression &y) { \
    return x.with(x.is_float() ? FLOAT : INTEGER);                                \
  }                                                                               \
  inline Expression operator OPERATOR(const Expression &x, double y) {            \
    return x OPERATOR x.constant(y);                                              \
  }
BP_EXPRESSION_OPERATOR(+, x.builder().CreateFAdd(x.value(), y.value()), x.builder().CreateAdd(x.value(), y.value()))
BP_EXPRESSION_OPERATOR(-, x.builder().CreateFSub(x.value(), y.value()), x.builder().CreateSub(x.value(), y.value()))
BP_EXPRESSION_OPERATOR(*, x.builder().CreateFMul(x.value(), y.value()), x.builder().CreateMul(x.value(), y.value()))
BP_EXPRESSION_OPERATOR(/, x.builder().CreateFDiv(x.value(), y.value()), x.builder().CreateSDiv(x.value(), y.value()))
BP_EXPRESSION_OPERATOR(<, x.builder().CreateFCmpOLT(x.value(), y.value()),
                       x.builder().CreateICmpSLT(x.value(), y.value()))
BP_EXPRESSION_OPERATOR(<=, x.builder().CreateFCmpOLE(x.value(), y.value()),
                       x.builder().CreateICmpSLE(x.value(), y.value()))
BP_EXPRESSION_OPERATOR(>, x.builder().CreateFCmpOGT(x.value(), y.value()),
                       x.builder().CreateICmpSGT(x.value(), y.value()))
BP_EXPRESSION_OPERATOR(>=, x.builder().CreateFCmpOGE(x.value(), y.value()),
                       x.builder().CreateICmpSGE(x.value(), y.value()))
BP_EXPRESSION_OPERATOR(==, x.builder().CreateFCmpOEQ(x.value(), y.value()),
                       x.builder().CreateICmpEQ(x.value(), y.value()))
BP_EXPRESSION_OPERATOR(!=, x.builder().CreateFCmpUNE(x.value(), y.value()),
                       x.builder().CreateICmpNE(x.value(), y.value()))
#undef BP_EXPRESSION_OPERATOR

// Bitwise operators on integers, logical operators on masks.
inline Expression operator&(const Expression &x, const Expression &y) {
  return x.with(x.builder().CreateAnd(x.value(), y.value()));
}
inline Expression operator|(const Expression &x, const Expression &y) {
  return x.with(x.builder().CreateOr(x.value(), y.value()));
}
inline Expression operator!(const Expression &x) {
  return x.with(x.builder().CreateNot(x.value()));
}
inline Expression operator<<(const Expression &x, int count) {
  return x.with(x.builder().CreateShl(x.value(), static_cast<uint64_t>(count)));
}
// Shifts right arithmetically.
inline Expression operator>>(const Expression &x, int count) {
  return x.with(x.builder().CreateAShr(x.value(), static_cast<uint64_t>(count)));
}
inline Expression operator-(const Expression &x) {
  return x.with(x.builder().CreateFNeg(x.value()));
}

inline Expression select(const Expression &condition, const Expression &x, const Expression &y) {
  return x.with(x.builder().CreateSelect(condition.value(), x.value(), y.value()));
}
inline Expression select(const Expression &condition, const Expression &x, double y) {
  return select(condition, x, x.constant(y));
}
inline Expression select(const Expression &condition, double x, const Expression &y) {
  return select(condition, y.constant(x), y);
}

inline Expression intrinsic(llvm::Intrinsic::ID id, const Expression &x) {
  return x.with(x.builder().CreateUnaryIntrinsic(id, x.value()));
}
inline Expression fma(const Expression &x, const Expression &y, const Expression &z) {
  return x.with(x.builder().CreateIntrinsic(llvm::Intrinsic::fma, {x.type()}, {x.value(), y.value(), z.value()}));
}
inline Expression fma(const Expression &x, double y, const Expression &z) {
  return fma(x, x.constant(y), z);
}
inline Expression fma(const Expression &x, const Expression &y, double z) {
  return fma(x, y, x.constant(z));
}
inline Expression abs(const Expression &x) {
  return intrinsic(llvm::Intrinsic::fabs, x);
}
inline Expression sqrt(const Expression &x) {
  return intrinsic(llvm::Intrinsic::sqrt, x);
}
inline Expression floor(const Expression &x) {
  return intrinsic(llvm::Intrinsic::floor, x);
}
inline Expression round_even(const Expression &x) {
  return intrinsic(llvm::Intrinsic::roundeven, x);
}
inline Expression copy_sign(const Expression &magnitude, const Expression &sign) {
  return magnitude.with(
      magnitude.builder().CreateBinaryIntrinsic(llvm::Intrinsic::copysign, magnitude.value(), sign.value()));
}
inline Expression is_nan(const Expression &x) {
  return x != x;
}

// Returns coefficients[0] + coefficients[1] * x + ..., computed by Horner's rule.
inline Expression polynomial(const Expression &x, std::span<const double> coefficients) {
  Expression sum = x.constant(coefficients.back());
  for (size_t i = coefficients.size() - 1; i-- > 0;) {
    sum = fma(sum, x, coefficients[i]);
  }
  return sum;
}

// Conversion of small whole numbers between float and integer without conversion instructions, which AVX2 lacks for 64
// bits: adding 1.5 * 2^fraction_bits puts the number into the low bits of the fraction.
inline double whole_number_magic(const Expression &x) {
  return 1.5 * static_cast<double>(int64_t{1} << (x.type()->getScalarSizeInBits() == 64 ? 52 : 23));
}
// Converts a whole number to an integer: the low bits of the result are x in two's complement, the high bits are
// undefined.
inline Expression whole_to_low_bits(const Expression &x) {
  return (x + whole_number_magic(x)).bits();
}
inline Expression integer_to_whole(const Expression &x) {
  Expression magic = x.as_float().constant(whole_number_magic(x));
  return (magic.bits() + x).as_float() - magic;
}

// Returns 2^exponent for a whole number in the range of normal exponents.
inline Expression power_of_two(const Expression &exponent) {
  Expression biased = whole_to_low_bits(exponent) + exponent.exponent_bias();
  return (biased << exponent.fraction_bits()).as_float();
}

// Returns x * 2^exponent; the result may overflow or be subnormal.
inline Expression scale_by_power_of_two(const Expression &x, const Expression &exponent) {
  if (llvm::Value *scaled = avx512_scale(x.builder(), x.value(), exponent.value())) {
    return x.with(scaled);
  }
  Expression half = floor(exponent * 0.5);
  return x * power_of_two(half) * power_of_two(exponent - half);
}

// Returns x * 2^exponent for an exponent as above.
inline Expression scale_by_normal_power_of_two(const Expression &x, const Expression &exponent) {
  llvm::Value *scaled = avx512_scale(x.builder(), x.value(), exponent.value());
  return scaled == nullptr ? x * power_of_two(exponent) : x.with(scaled);
}

// A value in twice the precision of the type: the sum of both fields, where `low` is the rounding error of `high`.
struct DoubleDouble {
  Expression high;
  Expression low;
};
inline DoubleDouble sum_of(const Expression &larger, const Expression &smaller) {
  const Expression sum = larger + smaller;
  return {sum, smaller - (sum - larger)};
}
// The exact sum of two numbers in any order of magnitude, and the product, which is exact except for underflow.
inline DoubleDouble exact_sum(const Expression &x, const Expression &y) {
  const Expression sum = x + y, second = sum - x;
  return {sum, (x - (sum - second)) + (y - second)};
}
inline DoubleDouble exact_product(const Expression &x, const Expression &y) {
  const Expression product = x * y;
  return {product, fma(x, y, -product)};
}

// Ends the builder's block at the insertion point and leaves the builder there, so that a terminator can be added.
// Returns the block with the code that followed.
inline llvm::BasicBlock *split_at_insertion_point(llvm::IRBuilderBase &builder, const char *name) {
  llvm::BasicBlock *before = builder.GetInsertBlock();
  if (before->getTerminator() == nullptr) {
    return llvm::BasicBlock::Create(builder.getContext(), name, before->getParent());
  }
  llvm::BasicBlock *after = before->splitBasicBlock(builder.GetInsertPoint(), name);
  before->getTerminator()->eraseFromParent();
  builder.SetInsertPoint(before);
  return after;
}

}  // namespace bp::emit
