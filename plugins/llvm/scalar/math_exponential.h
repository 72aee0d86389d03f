// Core functions of exp and log from which other functions are built.
#pragma once

#include "plugins/llvm/scalar/expression.h"

namespace bp::emit {

// Returns exp(x + low) * 2^exponent_offset in f64. |low| is tiny compared to x; x may be infinite or NaN.
Expression exp_f64(const Expression &x, const Expression &low, double exponent_offset = 0);
// Returns exp(x) with a relative error of 2^-34, in f64 arithmetic, for f32 functions; |x| < 700.
Expression exp_for_f32(const Expression &x);
// exp(x) - 1, log(1 + x) and log(x), in f64.
Expression expm1_f64(const Expression &x);
Expression log1p_f64(const Expression &x);
Expression log_f64(const Expression &x);

}  // namespace bp::emit
