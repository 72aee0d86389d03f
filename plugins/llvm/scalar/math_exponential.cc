// exp, log and functions built from them. Arguments are reduced by powers of two, and the rest is a minimax polynomial.
// The coefficients in this folder are from a Remez exchange in 50 digits, on the interval and with the error weight
// stated next to them, each rounded to the type in which it is used.
#include "plugins/llvm/scalar/math_exponential.h"

#include "plugins/llvm/scalar/math.h"
#include "plugins/llvm/scalar/math_precision.h"
#include "plugins/llvm/scalar/math_single.h"

namespace bp::emit {

namespace {

constexpr double log2_e = 1.4426950408889634;
constexpr double ln2_high = 0.6931471805599453;  // ln2_high + ln2_low: ln 2 to 107 bits
constexpr double ln2_low = 2.3190468138462996e-17;
constexpr double ln2_high_short = 0.6931471805598903;  // 42 bits: the product with any exponent is exact
constexpr double ln2_low_short = 5.497923018708371e-14;

// (exp(r) - 1 - r) / r^2 on |r| <= ln(2) / 2, weight r^2 / (exp(r) - 1): 2^-61.7.
constexpr double exp_f64_coefficients[] = {0.5,
                                           0.16666666666666677,
                                           0.041666666666666505,
                                           0.008333333333321515,
                                           0.0013888888888963172,
                                           0.00019841269886472948,
                                           2.480158717164921e-05,
                                           2.755724380882242e-06,
                                           2.7557402805993735e-07,
                                           2.5109193480398768e-08,
                                           2.0875463165016146e-09};
// The same function with weight r^2: 2^-34.3; then again with coefficients in f32.
constexpr double exp_for_f32_coefficients[] = {0.500000007877591,    0.16666666861366516,   0.041666266965794,
                                               0.008333264116923042, 0.0013946287878706118, 0.00019918546821976802};
constexpr double exp_f32_coefficients[] = {0.5,           0.166666672,   0.0416662656,
                                           0.00833326392, 0.00139462878, 0.000199185466};
// (log((1+s)/(1-s)) - 2s) / s^3 in z = s^2 on [0, 0.02945], weight z / 2: 2^-59.5.
constexpr double log_f64_coefficients[] = {0.6666666666666735,  0.3999999999941319,  0.285714287427474,
                                           0.22222198533486345, 0.18183566528382014, 0.15313990768742006,
                                           0.14796581254965602};
// (log(1+f) - f + f^2/2) / f^3 on [sqrt(1/2) - 1, sqrt(2) - 1], weight f^3 / log(1+f): 2^-30.3.
constexpr double log_f32_coefficients[] = {0.333333135,  -0.250000089, 0.200021178,  -0.166679934, 0.142195687,
                                           -0.124056533, 0.118881159,  -0.116752438, 0.0674623325};
// (log((1+s)/(1-s)) / 2s - 1 - z/3) / z^2 in z = s^2 on [0, 0.02945], weight z^2: 2^-73.4.
constexpr double log_tail_coefficients[] = {0.1999999999999999,  0.1428571428572147,  0.11111111108983925,
                                            0.09090909412817712, 0.07692279752198682, 0.06668114165238702,
                                            0.05838215456720339, 0.05988453015281246};
// (tanh(x) - x) / x^3 in z = x^2 on [0, 1], weight z x / tanh(x): 2^-27.7.
constexpr double tanh_f32_coefficients[] = {-0.333332956,   0.133323446, -0.0538798086,  0.0214866772,
                                            -0.00794613454, 0.002301384, -0.000358457532};
// (sinh(x) - x) / x^3 in z = x^2 on [0, 1]: 2^-73.6.
constexpr double sinh_f64_coefficients[] = {0.16666666666666666,    0.008333333333333333,  0.0001984126984126959,
                                            2.7557319224120228e-06, 2.505210834564442e-08, 1.6059050705483362e-10,
                                            7.646476387212873e-13,  2.848397580438158e-15};

// Clamps x to [low, high]; NaN stays NaN.
Expression clamp(const Expression &x, double low, double high) {
  Expression below = select(x > high, high, x);
  return select(below < low, low, below);
}

// Splits x = exponent * ln2 + rest with a whole exponent and |rest| <= ln2 / 2.
struct ExpReduction {
  Expression exponent;
  Expression rest;
};
ExpReduction reduce_by_ln2(const Expression &x) {
  Expression exponent = round_even(x * log2_e);
  double high = x.is_f64() ? ln2_high : static_cast<double>(static_cast<float>(ln2_high));
  double low = ln2_high - high + ln2_low;
  return {exponent, fma(exponent, -low, fma(exponent, -high, x))};
}

Expression exp_f32(const Expression &x) {
  auto [exponent, rest] = reduce_by_ln2(clamp(x, -105, 90));
  Expression sum = fma(rest * rest, polynomial(rest, exp_f32_coefficients), rest) + 1;
  return scale_by_power_of_two(sum, exponent);
}

// Splits a positive number into mantissa * 2^exponent with the mantissa in [sqrt(1/2), sqrt(2)).
struct LogReduction {
  Expression exponent;
  Expression mantissa;
};
LogReduction split_exponent(const Expression &x) {
  double smallest_normal = x.is_f64() ? 0x1p-1022 : 0x1p-126;
  Expression is_subnormal = x < smallest_normal;
  Expression bits = select(is_subnormal, x * 0x1p54, x).bits();
  Expression offset = bits - x.constant(0x1.6a09e667f3bcdp-1).bits();
  Expression exponent = offset >> x.fraction_bits();
  Expression mantissa = (bits - (exponent << x.fraction_bits())).as_float();
  return {integer_to_whole(exponent) - select(is_subnormal, x.constant(54), x.constant(0)), mantissa};
}

// Applies the limits of log: NaN below zero, -inf at zero, the argument itself at +inf and NaN.
Expression with_limits_of_log(const Expression &x, const Expression &zero_at, const Expression &result) {
  Expression in_domain = select(x == zero_at, -infinity, result);
  Expression defined = select(x < zero_at, quiet_nan, in_domain);
  return select((x == infinity) | is_nan(x), x, defined);
}

Expression log_f32(const Expression &x) {
  auto [exponent, mantissa] = split_exponent(x);
  Expression f = mantissa - 1;
  Expression square = f * f;
  Expression tail = fma(exponent, 1.428606765330187e-06, square * f * polynomial(f, log_f32_coefficients));
  Expression sum = f + fma(square, -0.5, tail);
  // The high part of ln 2 has 15 bits: its product with the exponent is exact.
  return with_limits_of_log(x, x.constant(0), fma(exponent, 0.693145751953125, sum));
}

// Returns log(argument) + low for a positive argument: log(1+f) = f - (f^2/2 - s * (f^2/2 + R)), s = f / (2 + f).
Expression log_with_low(const Expression &argument, const Expression &low) {
  auto [exponent, mantissa] = split_exponent(argument);
  Expression f = mantissa - 1;
  Expression s = f / (f + 2);
  Expression z = s * s;
  Expression half_square = f * f * 0.5;
  Expression series = z * polynomial(z, log_f64_coefficients);
  Expression tail = fma(exponent, ln2_low_short, low);
  Expression correction = half_square - fma(s, half_square + series, tail);
  return fma(exponent, ln2_high_short, f - correction);
}

Expression tanh_f32(const Expression &x) {
  Expression magnitude = abs(x);
  Expression z = x * x;
  Expression small = fma(magnitude * z, polynomial(z, tanh_f32_coefficients), magnitude);
  Expression decay = exp_f32(magnitude * -2.0);
  Expression large = -((decay * 2) / (decay + 1)) + 1;
  return copy_sign(select(magnitude < 1, small, select(is_nan(x), x, large)), x);
}

// Computes t / (t + 2) with t = expm1(2|x|), corrected by the rounding errors of sum and quotient; from 1 on, uses the
// small complement.
Expression tanh_f64(const Expression &x) {
  Expression magnitude = abs(x);
  Expression t = expm1_f64(select(magnitude < 1, magnitude * 2, 1));
  Expression sum = t + 2;
  Expression lost = t - (sum - 2);
  Expression quotient = t / sum;
  Expression small = quotient + (fma(-quotient, sum, t) - quotient * lost) / sum;
  Expression decay = exp_f64(magnitude * -2.0, x.constant(0));
  Expression large = -((decay * 2) / (decay + 1)) + 1;
  return copy_sign(select(magnitude < 1, small, select(is_nan(x), x, large)), x);
}

Expression sinh_f64(const Expression &x) {
  Expression magnitude = abs(x);
  Expression z = x * x;
  Expression small = fma(magnitude * z, polynomial(z, sinh_f64_coefficients), magnitude);
  Expression half = exp_f64(magnitude, x.constant(0), -1);
  return copy_sign(select(magnitude < 1, small, half - half.constant(0.25) / half), x);
}

Expression cosh_f64(const Expression &x) {
  Expression half = exp_f64(abs(x), x.constant(0), -1);
  return half + half.constant(0.25) / half;
}

// Above this argument, its square would overflow, and the terms that are added to it do not change it.
constexpr double large_argument = 0x1p55;

Expression asinh_f64(const Expression &x) {
  Expression magnitude = abs(x);
  Expression is_large = magnitude > large_argument;
  Expression square = magnitude * magnitude;
  Expression argument = select(is_large, magnitude, magnitude + square / (sqrt(square + 1) + 1));
  Expression result = log1p_f64(argument) + select(is_large, x.constant(ln2_high), 0);
  return copy_sign(result, x);
}

Expression acosh_f64(const Expression &x) {
  Expression is_large = x > large_argument;
  Expression above = x - 1;
  Expression argument = select(is_large, x, above + sqrt(above * (above + 2)));
  Expression result = log1p_f64(argument) + select(is_large, x.constant(ln2_high), 0);
  return select(x < 1, quiet_nan, result);
}

Expression atanh_f64(const Expression &x) {
  Expression magnitude = abs(x);
  return copy_sign(log1p_f64((magnitude * 2) / (-magnitude + 1)) * 0.5, x);
}

// Computes numerator / (1 + t) with t in [0, 1], corrected by the rounding errors of sum and quotient.
Expression logistic_f64(const Expression &x) {
  Expression t = exp_f64(-abs(x), x.constant(0));
  Expression numerator = select(x < 0, t, 1);
  Expression sum = t + 1;
  Expression lost = t - (sum - 1);
  Expression inverse = sum.constant(1) / sum;
  Expression quotient = numerator * inverse;
  Expression residual = fma(-quotient, sum, numerator) - quotient * lost;
  return fma(residual, inverse, quotient);
}

Expression logistic_f32(const Expression &x) {
  Expression growth = exp_for_f32(-clamp(x, -110, 110).to_f64());
  return (growth.constant(1) / (growth + 1)).to_f32();
}

// Returns the logarithm of a positive number as a sum of two f64, with a relative error near 2^-64: s and the leading
// terms of 2s * (1 + z/3 + z^2 Q(z)) carry their rounding errors along.
DoubleDouble log_double_double(const Expression &x) {
  auto [exponent, mantissa] = split_exponent(x);
  Expression f = mantissa - 1;
  auto [divisor, divisor_low] = sum_of(f.constant(2), f);
  Expression s = f / divisor;
  Expression s_low = (fma(-s, divisor, f) - s * divisor_low) / divisor;
  Expression z = s * s;
  Expression z_low = fma(s, s, -z) + s * s_low * 2;
  Expression third = z * (1.0 / 3);
  Expression third_low = fma(z, 1.0 / 3, -third) + fma(z, 1.850371707708594e-17, z_low * (1.0 / 3));
  // series = z/3 + z^2 Q(z), then log = 2s + 2s * series.
  auto [series, series_low] = sum_of(third, third_low + z * z * polynomial(z, log_tail_coefficients));
  Expression twice = s * 2;
  Expression product = twice * series;
  Expression product_low = fma(twice, series, -product) + fma(twice, series_low, s_low * 2 * (series + 1));
  auto [rest, rest_low] = sum_of(twice, product);
  Expression whole = exponent * ln2_high_short;
  auto [sum, sum_low] = sum_of(whole, rest);
  // If the exponent is zero, the rest is the larger part.
  Expression has_exponent = exponent != 0;
  Expression high = select(has_exponent, sum, rest);
  Expression low = fma(exponent, ln2_low_short, rest_low + product_low) + select(has_exponent, sum_low, 0);
  auto [result, result_low] = sum_of(high, low);
  return {result, result_low};
}

// Returns |x|^y as exp(y * log|x|); both are finite and x is not zero.
Expression power_of_magnitude_for_f32(const Expression &magnitude, const Expression &y) {
  constexpr double limit = 800;
  return exp_f64(clamp(y * log_f64(magnitude), -limit, limit), y.constant(0));
}

// Returns |x|^y with a product y * log|x| that is exact to twice the precision.
Expression power_of_magnitude_f64(const Expression &magnitude, const Expression &y) {
  constexpr double limit = 800;
  auto [log, log_low] = log_double_double(magnitude);
  Expression product = y * log;
  Expression low = fma(y, log, -product) + y * log_low;
  return exp_f64(clamp(product, -limit, limit), select(abs(product) < limit, low, 0));
}

// Returns x^y, given a function for a finite nonzero |x| and finite y.
Expression pow(const Expression &x, const Expression &y, FloatFunctionOfTwo power_of_magnitude) {
  Expression magnitude = abs(x);
  Expression y_is_infinite = abs(y) == infinity;
  Expression grows = (magnitude > 1) == (y > 0);
  Expression limit = select(grows, y.constant(infinity), 0);
  Expression is_limit = y_is_infinite | (magnitude == 0) | (magnitude == infinity);
  Expression result = select(is_limit, limit, power_of_magnitude(magnitude, y));

  Expression y_is_whole = floor(y) == y;
  Expression y_is_odd = y_is_whole & (floor(y * 0.5) != y * 0.5);
  Expression x_is_negative = x.bits() < 0;
  result = select(x_is_negative & y_is_odd, -result, result);
  result = select((x < 0) & !y_is_whole & (x > -infinity), quiet_nan, result);
  result = select(is_nan(x) | is_nan(y), quiet_nan, result);
  Expression is_one = (x == 1) | (y == 0) | ((x == -1) & y_is_infinite);
  return select(is_one, 1, result);
}

}  // namespace

Expression exp_f64(const Expression &x, const Expression &low, double exponent_offset) {
  auto [exponent, rest] = reduce_by_ln2(clamp(x, -750, 712));
  rest = rest + low;
  Expression sum = fma(rest * rest, polynomial(rest, exp_f64_coefficients), rest) + 1;
  return scale_by_power_of_two(sum, exponent + exponent_offset);
}

Expression exp_for_f32(const Expression &x) {
  auto [exponent, rest] = reduce_by_ln2(x);
  Expression sum = fma(rest * rest, polynomial(rest, exp_for_f32_coefficients), rest) + 1;
  return scale_by_normal_power_of_two(sum, exponent);
}

// Computes 2^n * expm1(rest) + (2^n - 1), at half the scale so that n = 1024 does not overflow.
Expression expm1_f64(const Expression &x) {
  auto [exponent, rest] = reduce_by_ln2(clamp(x, -60, 709.9));
  Expression small = fma(rest * rest, polynomial(rest, exp_f64_coefficients), rest);
  Expression scale = power_of_two(exponent - 1);
  Expression result = fma(scale, small, scale - 0.5) * 2;
  return select(abs(x) < 0x1p-54, x, result);
}

Expression log_f64(const Expression &x) {
  return with_limits_of_log(x, x.constant(0), log_with_low(x, x.constant(0)));
}

Expression log1p_f64(const Expression &x) {
  Expression sum = x + 1;
  Expression lost = select(x >= 1, -(sum - x) + 1, x - (sum - 1));
  Expression result = with_limits_of_log(x, x.constant(-1), log_with_low(sum, lost / sum));
  return select(abs(x) < 0x1p-54, x, result);
}

llvm::Value *emit_exp(llvm::IRBuilderBase &builder, llvm::Value *value) {
  Expression x(builder, value);
  return (x.is_f64() ? exp_f64(x, x.constant(0)) : exp_f32(x)).value();
}

llvm::Value *emit_log(llvm::IRBuilderBase &builder, llvm::Value *value) {
  Expression x(builder, value);
  return (x.is_f64() ? log_f64(x) : log_f32(x)).value();
}

llvm::Value *emit_tanh(llvm::IRBuilderBase &builder, llvm::Value *value) {
  Expression x(builder, value);
  return (x.is_f64() ? tanh_f64(x) : tanh_f32(x)).value();
}

llvm::Value *emit_logistic(llvm::IRBuilderBase &builder, llvm::Value *value) {
  Expression x(builder, value);
  if (x.is_f64()) {
    return logistic_f64(x).value();
  }
  return (avoids_f64(builder) ? single::logistic(x) : logistic_f32(x)).value();
}

llvm::Value *emit_pow(llvm::IRBuilderBase &builder, llvm::Value *base, llvm::Value *exponent) {
  Expression x(builder, base);
  Expression y(builder, exponent);
  if (x.is_f64()) {
    return pow(x, y, power_of_magnitude_f64).value();
  }
  return avoids_f64(builder) ? pow(x, y, single::power_of_magnitude).value()
                             : pow(x.to_f64(), y.to_f64(), power_of_magnitude_for_f32).to_f32().value();
}

#define BP_OF_BOTH(NAME)                                                       \
  llvm::Value *emit_##NAME(llvm::IRBuilderBase &builder, llvm::Value *value) { \
    return of_both(builder, value, NAME##_f64, single::NAME);                  \
  }
BP_OF_BOTH(expm1)
BP_OF_BOTH(log1p)
BP_OF_BOTH(sinh)
BP_OF_BOTH(cosh)
BP_OF_BOTH(asinh)
BP_OF_BOTH(acosh)
BP_OF_BOTH(atanh)
#undef BP_OF_BOTH

}  // namespace bp::emit
