// Core functions of exp and log from which other functions are built.
#pragma once

#include "plugins/llvm/scalar/expression.h"
#include "plugins/llvm/scalar/math.h"

namespace bp::emit {

// Returns exp(x + low) * 2^exponent_offset in f64. |low| is tiny compared to x; x may be infinite or NaN.
Expression exp_f64(const Expression &x, const Expression &low, double exponent_offset = 0);
// Returns exp(x) with a relative error of 2^-34, in f64 arithmetic, for f32 functions; |x| < 700.
Expression exp_for_f32(const Expression &x);
// exp(x) - 1, log(1 + x) and log(x), in f64.
Expression expm1_f64(const Expression &x);
Expression log1p_f64(const Expression &x);
Expression log_f64(const Expression &x);

// Applies an f64 function to values of both types: f32 is computed in f64, so that only the error of the last rounding
// is left, or by a function of its own if f64 is avoided.
using FloatFunction = Expression (*)(const Expression &);
inline llvm::Value *of_both(llvm::IRBuilderBase &builder, llvm::Value *value, FloatFunction of_f64,
                            FloatFunction of_f32_alone) {
  const Expression x(builder, value);
  if (x.is_f64()) {
    return of_f64(x).value();
  }
  return avoids_f64(builder) ? of_f32_alone(x).value() : of_f64(x.to_f64()).to_f32().value();
}
using FloatFunctionOfTwo = Expression (*)(const Expression &, const Expression &);
inline llvm::Value *of_both(llvm::IRBuilderBase &builder, llvm::Value *x_value, llvm::Value *y_value,
                            FloatFunctionOfTwo of_f64, FloatFunctionOfTwo of_f32_alone) {
  const Expression x(builder, x_value), y(builder, y_value);
  if (x.is_f64()) {
    return of_f64(x, y).value();
  }
  return avoids_f64(builder) ? of_f32_alone(x, y).value() : of_f64(x.to_f64(), y.to_f64()).to_f32().value();
}

}  // namespace bp::emit
