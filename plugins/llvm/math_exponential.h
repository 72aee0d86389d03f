// The cores of exp and log that other functions are made of.
#pragma once

#include "plugins/llvm/expression.h"

namespace bp::emit {

// exp(x + low) * 2^exponent_offset in f64. |low| is tiny against x; x is finite or infinite or NaN.
Expression exp_f64(const Expression &x, const Expression &low, double exponent_offset = 0);
// exp(x) with a relative error of 2^-34, in f64 arithmetic, for f32 functions; |x| < 700.
Expression exp_for_f32(const Expression &x);
// exp(x) - 1, and log(1 + x), in f64.
Expression expm1_f64(const Expression &x);
Expression log1p_f64(const Expression &x);
Expression log_f64(const Expression &x);

// Wraps an f64 function for both types: f32 is computed in f64, which leaves the error of the last rounding.
template <typename Function>
llvm::Value *through_f64(llvm::IRBuilderBase &builder, llvm::Value *value, Function function) {
  Expression x(builder, value);
  return x.is_f64() ? function(x).value() : function(x.to_f64()).to_f32().value();
}

}  // namespace bp::emit
