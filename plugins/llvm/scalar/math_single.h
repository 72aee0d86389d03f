// f32 functions in f32 arithmetic only, for targets on which f64 is slow. Where a rounded intermediate result would
// cost too much precision, a second f32 holds the rounding error. Errors are below 1 unit in the last place, the same
// as for the functions that compute in f64.
#pragma once

#include "plugins/llvm/scalar/expression.h"

namespace bp::emit::single {

Expression expm1(const Expression &x);
Expression log1p(const Expression &x);
Expression logistic(const Expression &x);
Expression sinh(const Expression &x);
Expression cosh(const Expression &x);
Expression asinh(const Expression &x);
Expression acosh(const Expression &x);
Expression atanh(const Expression &x);
Expression asin(const Expression &x);
Expression acos(const Expression &x);
Expression atan(const Expression &x);
Expression atan2(const Expression &y, const Expression &x);
// Returns |x|^y for a finite y and a finite x that is not zero.
Expression power_of_magnitude(const Expression &magnitude, const Expression &y);

}  // namespace bp::emit::single
