// Functions whose result is rounded to f16 or bf16, for which f32 arithmetic with an error of about 2^-21 is accurate
// enough. They use no f64, which is slow on GPUs. The cube root is in math.cc; sine, cosine and tangent are in
// math_trigonometric.cc.
#include "plugins/llvm/scalar/expression.h"
#include "plugins/llvm/scalar/math.h"

namespace bp::emit {

namespace {

// For arguments smaller than this, expm1 and log1p return the argument.
constexpr double tiny_argument = 0x1p-25;

// (exp(x) - 1 - x) / x^2 by Taylor's formula: 2^-26 for |x| < 1/2.
constexpr double expm1_coefficients[] = {1.0 / 2,   1.0 / 6,    1.0 / 24,    1.0 / 120,
                                         1.0 / 720, 1.0 / 5040, 1.0 / 40320, 1.0 / 362880};
Expression exp_of(const Expression &x) {
  return x.with(emit_exp(x.builder(), x.value()));
}

}  // namespace

llvm::Value *emit_narrow_logistic(llvm::IRBuilderBase &builder, llvm::Value *value) {
  const Expression x(builder, value);
  const Expression t = exp_of(-abs(x));
  return (select(x < 0, t, 1) / (t + 1)).value();
}

llvm::Value *emit_narrow_expm1(llvm::IRBuilderBase &builder, llvm::Value *value) {
  const Expression x(builder, value);
  const Expression near_zero = fma(x * x, polynomial(x, expm1_coefficients), x);
  const Expression result = select(abs(x) < 0.5, near_zero, exp_of(x) - 1);
  return select(abs(x) < tiny_argument, x, result).value();
}

// Computes the logarithm of the rounded sum x + 1, corrected by the rounding error.
llvm::Value *emit_narrow_log1p(llvm::IRBuilderBase &builder, llvm::Value *value) {
  const Expression x(builder, value);
  const Expression sum = x + 1;
  const Expression lost = select(x >= 1, -(sum - x) + 1, x - (sum - 1));
  const Expression logarithm = x.with(emit_log(builder, sum.value()));
  const Expression has_loss = (sum > 0) & (x < infinity);
  const Expression result = select(has_loss, logarithm + lost / sum, logarithm);
  return select(abs(x) < tiny_argument, x, result).value();
}

}  // namespace bp::emit
