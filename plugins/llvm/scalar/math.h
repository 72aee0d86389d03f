// Elementary functions as inline LLVM IR, shared by all backends that generate code through LLVM. Each works on a
// scalar or any fixed vector of f32 or f64 and uses only target-independent instructions and intrinsics (fma, sqrt,
// floor, roundeven, fabs, copysign). There are no library calls, so the same code works on the lanes of a CPU vector
// and in a GPU thread. All are straight-line code except sin, cos, tan and remainder, which add blocks: the builder
// continues in a new block.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <span>

namespace bp::emit {

// No function flushes subnormals, neither on input nor on output; NaN, infinities and signed zeros follow IEEE 754 and
// C99 annex F. The builder's fast-math flags must be clear. The caller computes narrow floats in f32.

using UnaryEmitter = llvm::Value *(*)(llvm::IRBuilderBase &, llvm::Value *);
using BinaryEmitter = llvm::Value *(*)(llvm::IRBuilderBase &, llvm::Value *, llvm::Value *);

llvm::Value *emit_exp(llvm::IRBuilderBase &builder, llvm::Value *x);
llvm::Value *emit_expm1(llvm::IRBuilderBase &builder, llvm::Value *x);
llvm::Value *emit_log(llvm::IRBuilderBase &builder, llvm::Value *x);
llvm::Value *emit_log1p(llvm::IRBuilderBase &builder, llvm::Value *x);
llvm::Value *emit_sin(llvm::IRBuilderBase &builder, llvm::Value *x);
llvm::Value *emit_cos(llvm::IRBuilderBase &builder, llvm::Value *x);
llvm::Value *emit_tan(llvm::IRBuilderBase &builder, llvm::Value *x);
llvm::Value *emit_asin(llvm::IRBuilderBase &builder, llvm::Value *x);
llvm::Value *emit_acos(llvm::IRBuilderBase &builder, llvm::Value *x);
llvm::Value *emit_atan(llvm::IRBuilderBase &builder, llvm::Value *x);
llvm::Value *emit_sinh(llvm::IRBuilderBase &builder, llvm::Value *x);
llvm::Value *emit_cosh(llvm::IRBuilderBase &builder, llvm::Value *x);
llvm::Value *emit_tanh(llvm::IRBuilderBase &builder, llvm::Value *x);
llvm::Value *emit_asinh(llvm::IRBuilderBase &builder, llvm::Value *x);
llvm::Value *emit_acosh(llvm::IRBuilderBase &builder, llvm::Value *x);
llvm::Value *emit_atanh(llvm::IRBuilderBase &builder, llvm::Value *x);
llvm::Value *emit_erf(llvm::IRBuilderBase &builder, llvm::Value *x);
llvm::Value *emit_cbrt(llvm::IRBuilderBase &builder, llvm::Value *x);
llvm::Value *emit_logistic(llvm::IRBuilderBase &builder, llvm::Value *x);
llvm::Value *emit_sqrt(llvm::IRBuilderBase &builder, llvm::Value *x);
llvm::Value *emit_rsqrt(llvm::IRBuilderBase &builder, llvm::Value *x);
llvm::Value *emit_floor(llvm::IRBuilderBase &builder, llvm::Value *x);
llvm::Value *emit_ceil(llvm::IRBuilderBase &builder, llvm::Value *x);
// Round ties away from zero, and ties to even.
llvm::Value *emit_round_away(llvm::IRBuilderBase &builder, llvm::Value *x);
llvm::Value *emit_round_even(llvm::IRBuilderBase &builder, llvm::Value *x);

// f32 functions without f64 arithmetic, for results that are rounded to f16 or bf16: relative errors of about 2^-21.
// The argument of a sine, cosine or tangent is an f16 or a bf16.
llvm::Value *emit_narrow_expm1(llvm::IRBuilderBase &builder, llvm::Value *x);
llvm::Value *emit_narrow_log1p(llvm::IRBuilderBase &builder, llvm::Value *x);
llvm::Value *emit_narrow_logistic(llvm::IRBuilderBase &builder, llvm::Value *x);
llvm::Value *emit_narrow_cbrt(llvm::IRBuilderBase &builder, llvm::Value *x);
llvm::Value *emit_narrow_sin(llvm::IRBuilderBase &builder, llvm::Value *x);
llvm::Value *emit_narrow_cos(llvm::IRBuilderBase &builder, llvm::Value *x);
llvm::Value *emit_narrow_tan(llvm::IRBuilderBase &builder, llvm::Value *x);

llvm::Value *emit_atan2(llvm::IRBuilderBase &builder, llvm::Value *y, llvm::Value *x);
llvm::Value *emit_pow(llvm::IRBuilderBase &builder, llvm::Value *x, llvm::Value *y);
// Emits the exact remainder with the sign of x (C's fmod). Contains a loop: the builder's insertion point moves to a
// new block.
llvm::Value *emit_remainder(llvm::IRBuilderBase &builder, llvm::Value *x, llvm::Value *y);

// Emit functions of integers of any width.
llvm::Value *emit_population_count(llvm::IRBuilderBase &builder, llvm::Value *x);
llvm::Value *emit_count_leading_zeros(llvm::IRBuilderBase &builder, llvm::Value *x);

// Every float function above by name, with the largest error it promises, in units in the last place.
struct MathFunction {
  const char *name;
  UnaryEmitter unary;    // null for a binary function
  BinaryEmitter binary;  // null for a unary function
  double ulps_f32;
  double ulps_f64;
};
std::span<const MathFunction> math_functions();

}  // namespace bp::emit
