// Roots, remainder, rounding and integer functions, and the table of all functions.
#include "plugins/llvm/scalar/math.h"

#include <cmath>

#include "plugins/llvm/scalar/math_precision.h"

namespace bp::emit {

namespace {

// The cube root on [1, 2], relative: 2^-16.7.
constexpr double cbrt_coefficients[] = {0.5069798002188247, 0.7181529862664847, -0.30061078638935546,
                                        0.0860910840625054, -0.010603866144313762};

// Computes the cube root of x = m * 2^(3q) with m in [1, 8): a polynomial with 16 correct bits, a Halley step to 50
// bits (or to the precision of f32), and, if the result is to be rounded only once, a Newton step with the exact
// residual.
Expression cbrt(const Expression &x, bool has_residual) {
  const int thirds_added = x.is_f64() ? 18 : 8;  // makes subnormals normal
  const double scale_of_subnormals = x.is_f64() ? 0x1p54 : 0x1p24;
  Expression magnitude = abs(x);
  Expression is_subnormal = magnitude < (x.is_f64() ? 0x1p-1022 : 0x1p-126);
  Expression bits = select(is_subnormal, magnitude * scale_of_subnormals, magnitude).bits();
  Expression exponent = (bits >> x.fraction_bits()) - x.exponent_bias();
  Expression fraction = (bits - (exponent << x.fraction_bits())).as_float();
  Expression whole = integer_to_whole(exponent);
  Expression third = floor((whole + 0.5) * (1.0 / 3));
  Expression remainder = whole - third * 3;
  Expression is_one = remainder == 1;
  Expression is_two = remainder == 2;
  Expression factor = select(is_two, x.constant(4), select(is_one, x.constant(2), 1));
  Expression root_of_factor =
      select(is_two, x.constant(1.5874010519681996), select(is_one, x.constant(1.2599210498948732), 1));
  Expression m = fraction * factor;
  Expression y = polynomial(fraction, cbrt_coefficients) * root_of_factor;
  Expression cube = y * y * y;
  y = y * (fma(m, 2, cube) / fma(cube, 2, m));
  if (has_residual) {
    Expression square = y * y;
    Expression residual = fma(square, y, -m) + fma(y, y, -square) * y;
    y = y - residual / (square * 3);
  }
  Expression scale = power_of_two(third - select(is_subnormal, x.constant(thirds_added), 0));
  Expression is_special = (x == 0) | (magnitude == infinity) | is_nan(x);
  return select(is_special, x, copy_sign(y * scale, x));
}

Expression exact_cbrt(const Expression &x) {
  return cbrt(x, true);
}

// Computes 1 / sqrt(x), followed by a Newton step with the exact residual 1 - x r^2.
Expression rsqrt(const Expression &x) {
  Expression r = x.constant(1) / sqrt(x);
  Expression product = r * x;
  Expression lost = fma(r, x, -product);
  Expression residual = fma(-product, r, r.constant(1)) - lost * r;
  Expression result = fma(r * 0.5, residual, r);
  return select((r == infinity) | (r == 0) | (r == -infinity), r, result);
}

// Returns the largest k with 2^k <= x, for a positive finite x, as a float.
Expression floor_of_log2(const Expression &x) {
  const int digits = x.fraction_bits() + 1;
  Expression is_subnormal = x < (x.is_f64() ? 0x1p-1022 : 0x1p-126);
  Expression bits = select(is_subnormal, x * std::ldexp(1.0, digits), x).bits();
  Expression exponent = integer_to_whole((bits >> x.fraction_bits()) - x.exponent_bias());
  return select(is_subnormal, exponent - digits, exponent);
}

// Long division in base 2^50, or 2^21 in f32: while a lane has a >= b, subtracts a whole multiple of b * 2^k that
// leaves less than b * 2^k. Multiples and differences are exact.
Expression remainder(const Expression &x, const Expression &y) {
  llvm::IRBuilderBase &b = x.builder();
  Expression dividend = abs(x);
  Expression divisor = abs(y);
  Expression is_undefined = is_nan(x) | is_nan(y) | (divisor == 0) | (dividend == infinity);
  dividend = select(is_undefined, 0, dividend);
  divisor = select(is_undefined, 1, divisor);

  llvm::BasicBlock *before = b.GetInsertBlock();
  llvm::BasicBlock *after = split_at_insertion_point(b, "remainder_done");
  llvm::BasicBlock *header = llvm::BasicBlock::Create(b.getContext(), "remainder", before->getParent(), after);
  llvm::BasicBlock *body = llvm::BasicBlock::Create(b.getContext(), "remainder_step", before->getParent(), after);
  Expression divisor_exponent = floor_of_log2(select(divisor == infinity, 1, divisor));
  b.CreateBr(header);

  b.SetInsertPoint(header);
  llvm::PHINode *phi = b.CreatePHI(dividend.type(), 2);
  phi->addIncoming(dividend.value(), before);
  Expression rest = x.with(phi);
  Expression is_active = rest >= divisor;
  bool is_vector = x.type()->isVectorTy();
  b.CreateCondBr(is_vector ? b.CreateOrReduce(is_active.value()) : is_active.value(), body, after);

  b.SetInsertPoint(body);
  Expression distance = floor_of_log2(select(rest > 0, rest, 1)) - divisor_exponent - (x.fraction_bits() - 2);
  const double longest = 2 * x.exponent_bias();  // limit of scale_by_power_of_two
  distance = select(is_active & (distance > 0), select(distance > longest, longest, distance), 0);
  Expression step = scale_by_power_of_two(divisor, distance);
  Expression multiple = floor(rest / step);
  Expression difference = fma(-multiple, step, rest);
  difference = select(difference < 0, difference + step, difference);
  Expression next = select(is_active, difference, rest);
  phi->addIncoming(next.value(), b.GetInsertBlock());
  b.CreateBr(header);

  b.SetInsertPoint(after, after->begin());
  return select(is_undefined, quiet_nan, copy_sign(rest, x));
}

llvm::Value *unary(llvm::IRBuilderBase &builder, llvm::Intrinsic::ID id, llvm::Value *x) {
  return builder.CreateUnaryIntrinsic(id, x);
}

}  // namespace

llvm::Value *emit_cbrt(llvm::IRBuilderBase &builder, llvm::Value *value) {
  return of_both(builder, value, exact_cbrt, exact_cbrt);
}

llvm::Value *emit_narrow_cbrt(llvm::IRBuilderBase &builder, llvm::Value *value) {
  return cbrt({builder, value}, false).value();
}

llvm::Value *emit_sqrt(llvm::IRBuilderBase &builder, llvm::Value *x) {
  return unary(builder, llvm::Intrinsic::sqrt, x);
}

llvm::Value *emit_rsqrt(llvm::IRBuilderBase &builder, llvm::Value *x) {
  return rsqrt({builder, x}).value();
}

llvm::Value *emit_floor(llvm::IRBuilderBase &builder, llvm::Value *x) {
  return unary(builder, llvm::Intrinsic::floor, x);
}

llvm::Value *emit_ceil(llvm::IRBuilderBase &builder, llvm::Value *x) {
  return unary(builder, llvm::Intrinsic::ceil, x);
}

llvm::Value *emit_round_away(llvm::IRBuilderBase &builder, llvm::Value *value) {
  Expression x(builder, value);
  Expression whole = intrinsic(llvm::Intrinsic::trunc, x);
  Expression away = whole + copy_sign(x.constant(1), x);
  return copy_sign(select(abs(x - whole) >= 0.5, away, whole), x).value();
}

llvm::Value *emit_round_even(llvm::IRBuilderBase &builder, llvm::Value *x) {
  return unary(builder, llvm::Intrinsic::roundeven, x);
}

llvm::Value *emit_remainder(llvm::IRBuilderBase &builder, llvm::Value *x_value, llvm::Value *y_value) {
  return of_both(builder, x_value, y_value, remainder, remainder);
}

llvm::Value *emit_population_count(llvm::IRBuilderBase &builder, llvm::Value *x) {
  return unary(builder, llvm::Intrinsic::ctpop, x);
}

llvm::Value *emit_count_leading_zeros(llvm::IRBuilderBase &builder, llvm::Value *x) {
  return builder.CreateIntrinsic(llvm::Intrinsic::ctlz, {x->getType()}, {x, builder.getFalse()});
}

std::span<const MathFunction> math_functions() {
  static constexpr MathFunction functions[] = {
      {"exp", emit_exp, nullptr, 1, 1},
      {"expm1", emit_expm1, nullptr, 1, 2},
      {"log", emit_log, nullptr, 1, 1},
      {"log1p", emit_log1p, nullptr, 1, 2},
      {"sin", emit_sin, nullptr, 1, 1},
      {"cos", emit_cos, nullptr, 1, 1},
      {"tan", emit_tan, nullptr, 1, 2},
      {"asin", emit_asin, nullptr, 1, 1},
      {"acos", emit_acos, nullptr, 1, 1},
      {"atan", emit_atan, nullptr, 1, 2},
      {"sinh", emit_sinh, nullptr, 1, 2},
      {"cosh", emit_cosh, nullptr, 1, 2},
      {"tanh", emit_tanh, nullptr, 1, 2},
      {"asinh", emit_asinh, nullptr, 1, 4},
      {"acosh", emit_acosh, nullptr, 1, 4},
      {"atanh", emit_atanh, nullptr, 1, 4},
      {"erf", emit_erf, nullptr, 1, 2},
      {"cbrt", emit_cbrt, nullptr, 1, 1},
      {"logistic", emit_logistic, nullptr, 1, 2},
      {"sqrt", emit_sqrt, nullptr, 0.5, 0.5},
      {"rsqrt", emit_rsqrt, nullptr, 1, 1},
      {"floor", emit_floor, nullptr, 0, 0},
      {"ceil", emit_ceil, nullptr, 0, 0},
      {"round_away", emit_round_away, nullptr, 0, 0},
      {"round_even", emit_round_even, nullptr, 0, 0},
      {"atan2", nullptr, emit_atan2, 1, 2},
      {"pow", nullptr, emit_pow, 1, 2},
      {"remainder", nullptr, emit_remainder, 0, 0},
  };
  return functions;
}

}  // namespace bp::emit
