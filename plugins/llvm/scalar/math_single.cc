#include "plugins/llvm/scalar/math_single.h"

namespace bp::emit::single {

namespace {

constexpr double log2_e = 1.4426950408889634;
constexpr double ln2_high = 0.693145751953125;  // 15 bits: its product with any exponent is exact
constexpr double ln2_low = 1.428606765330187e-06;
constexpr double half_pi = 1.5707963705062866;  // half_pi + half_pi_low: pi/2 to 48 bits
constexpr double half_pi_low = -4.371138828673793e-08;
constexpr double third = 0.3333333432674408;  // third + third_low: 1/3 to 48 bits
constexpr double third_low = -9.934107463e-09;

// The functions, intervals and weights of these coefficients are stated next to those for f64, except that exp has
// weight 1. All are rounded to f32. The error is given after each table.
constexpr double exp_coefficients[] = {0.5,           0.166666672,   0.0416662693,
                                       0.00833326392, 0.00139460736, 0.000199183749};                // 2^-29.7
constexpr double log_tail_coefficients[] = {0.199999988, 0.14285937, 0.110924907, 0.0973420441};     // 2^-38.5
constexpr double sinh_coefficients[] = {0.166666672, 0.0083333496, 0.000198361595, 2.81695134e-06};  // 2^-27.5
constexpr double asin_coefficients[] = {0.166666597,  0.0750050396, 0.0445169546,
                                        0.0318077169, 0.0144385919, 0.0375164822};  // 2^-29.8
constexpr double atan_coefficients[] = {-0.333333164, 0.199984714, -0.142435342, 0.105938151,
                                        -0.0607822537};  // 2^-28.3

// Returns the quotient with a relative error of about 2^-46.
DoubleDouble quotient_of(const DoubleDouble &x, const DoubleDouble &y) {
  const Expression inverse = y.high.constant(1) / y.high;
  const Expression quotient = x.high * inverse;
  const Expression residual = fma(-quotient, y.high, x.high) + fma(-quotient, y.low, x.low);
  return {quotient, residual * inverse};
}
DoubleDouble plus(const DoubleDouble &x, double number) {
  const auto [sum, lost] = exact_sum(x.high, x.high.constant(number));
  return {sum, lost + x.low};
}
DoubleDouble plus(const DoubleDouble &x, const DoubleDouble &y) {
  const auto [sum, lost] = exact_sum(x.high, y.high);
  return {sum, lost + (x.low + y.low)};
}
DoubleDouble minus(const DoubleDouble &x, const DoubleDouble &y) {
  return plus(x, {-y.high, -y.low});
}
// Returns the square root of a positive number or zero.
DoubleDouble root_of(const DoubleDouble &x) {
  const Expression root = sqrt(x.high);
  const Expression residual = fma(-root, root, x.high) + x.low;
  return {root, select(root > 0, residual / (root * 2), 0)};
}
Expression total(const DoubleDouble &x) {
  return x.high + x.low;
}

// exp(x + low) = mantissa * 2^exponent with a relative error of about 2^-27. |low| is tiny compared to x; |x| < 150.
struct Exponential {
  DoubleDouble mantissa;
  Expression exponent;
};
Exponential exponential_of(const Expression &x, const Expression &low) {
  const Expression exponent = round_even(x * log2_e);
  const Expression first = fma(exponent, -ln2_high, x);  // exact
  const auto [rest, lost] = exact_sum(first, fma(exponent, -ln2_low, low));
  const Expression tail = fma(rest * rest, polynomial(rest, exp_coefficients), lost);
  const auto [sum, sum_lost] = sum_of(rest.constant(1), rest);
  return {sum_of(sum, sum_lost + tail), exponent};
}
DoubleDouble scaled(const Exponential &x, double exponent_offset) {
  const Expression exponent = x.exponent + exponent_offset;
  return {scale_by_power_of_two(x.mantissa.high, exponent), scale_by_power_of_two(x.mantissa.low, exponent)};
}

// Returns the logarithm of a positive normal number, like log_double_double for f64, with a relative error of about
// 2^-34.
DoubleDouble log_of(const DoubleDouble &x) {
  const Expression bits = x.high.bits();
  const Expression offset = bits - x.high.constant(0x1.6a09e6p-1).bits();
  const Expression exponent_bits = (offset >> x.high.fraction_bits()) << x.high.fraction_bits();
  const Expression exponent = integer_to_whole(offset >> x.high.fraction_bits());
  const Expression mantissa = (bits - exponent_bits).as_float();
  // The low part of a large number is negligible compared to 1, so its exponent is limited.
  const Expression mantissa_low = x.low * power_of_two(-select(exponent > 100, 100, exponent));
  const DoubleDouble f = sum_of(mantissa - 1, mantissa_low);
  const DoubleDouble s = quotient_of(f, plus(f, 2));
  const DoubleDouble square = exact_product(s.high, s.high);
  const Expression z = square.high, z_low = fma(s.high * 2, s.low, square.low);
  const DoubleDouble of_third = exact_product(z, z.constant(third));
  const Expression third_tail = fma(z, third_low, fma(z_low, third, of_third.low));
  const DoubleDouble series = sum_of(of_third.high, fma(z * z, polynomial(z, log_tail_coefficients), third_tail));
  const Expression twice = s.high * 2;
  const auto [product, product_lost] = exact_product(twice, series.high);
  const Expression product_low = product_lost + fma(twice, series.low, s.low * 2 * (series.high + 1));
  const auto [rest, rest_low] = sum_of(twice, product);
  const auto [sum, sum_low] = exact_sum(exponent * ln2_high, rest);
  return sum_of(sum, sum_low + fma(exponent, ln2_low, rest_low + product_low));
}

// Returns log(1 + x) for 1 + x > 0.
DoubleDouble log1p_of(const DoubleDouble &x) {
  return log_of(plus(x, 1));
}

// Above this argument, sinh and cosh overflow.
constexpr double largest_argument = 89.4159851;
Expression bounded_magnitude(const Expression &x) {
  const Expression magnitude = abs(x);
  return select(magnitude > largest_argument, largest_argument, magnitude);
}

// Above this argument, adding 1 to its square makes no difference, and the square may overflow.
constexpr double large_argument = 0x1p30;
// Below this argument, an odd function with slope 1 at zero returns its argument, if the factor of the cubic term is at
// most 1/3.
constexpr double small_argument = 0x1p-13;

DoubleDouble plus_ln2_if(const Expression &condition, const DoubleDouble &x) {
  const DoubleDouble more = plus(plus(x, ln2_high), {x.high.constant(ln2_low), x.high.constant(0)});
  return {select(condition, more.high, x.high), select(condition, more.low, x.low)};
}

// From 1/2 on, asin(a) = pi/2 - 2 asin(y) and acos(a) = 2 asin(y) with y = sqrt((1 - a) / 2); below 1/2, y is a.
// `angle` is asin(y).
struct ArcSine {
  Expression is_large;
  DoubleDouble angle;
};
ArcSine arc_sine(const Expression &magnitude) {
  const Expression is_large = magnitude >= 0.5;
  const Expression half_complement = (-magnitude + 1) * 0.5;  // exact where it is used
  const Expression z = select(is_large, half_complement, magnitude * magnitude);
  const auto [root_of_complement, lost] = root_of({half_complement, magnitude.constant(0)});
  const Expression root = select(is_large, root_of_complement, magnitude);
  return {is_large, {root, fma(root * z, polynomial(z, asin_coefficients), select(is_large, lost, 0))}};
}

DoubleDouble multiple_of_half_pi(const Expression &like, double factor) {
  return {like.constant(half_pi * factor), like.constant(half_pi_low * factor)};
}
DoubleDouble twice(const DoubleDouble &x) {
  return {x.high * 2, x.low * 2};
}

// Returns the angle of the point (x, y), neither of them negative, from the quotient of the smaller and the larger
// coordinate; from tan(pi/8) on it is rotated by pi/4.
DoubleDouble angle_of(const Expression &y, const Expression &x) {
  const Expression is_steep = y > x;
  const Expression smaller = select(is_steep, x, y), larger = select(is_steep, y, x);
  const Expression is_turned = smaller > larger * 0.41421356237309503;
  const DoubleDouble difference = exact_sum(smaller, -larger), sum = exact_sum(smaller, larger);
  const auto chosen = [&](const DoubleDouble &turned, const Expression &straight) {
    return DoubleDouble{select(is_turned, turned.high, straight), select(is_turned, turned.low, 0)};
  };
  const DoubleDouble dividend = chosen(difference, smaller), divisor = chosen(sum, larger);
  const Expression quotient = dividend.high / divisor.high;
  const Expression residual = fma(-quotient, divisor.high, dividend.high) + fma(-quotient, divisor.low, dividend.low);
  const Expression z = quotient * quotient;
  const Expression tail = fma(quotient * z, polynomial(z, atan_coefficients), residual / divisor.high);
  const DoubleDouble straight = {quotient, tail};
  const DoubleDouble turned = plus(multiple_of_half_pi(x, 0.5), straight);
  const DoubleDouble flat = {select(is_turned, turned.high, straight.high),
                             select(is_turned, turned.low, straight.low)};
  const DoubleDouble steep = minus(multiple_of_half_pi(x, 1), flat);
  return {select(is_steep, steep.high, flat.high), select(is_steep, steep.low, flat.low)};
}

}  // namespace

// Computes expm1 at half the scale, so that 2^128 does not overflow.
Expression expm1(const Expression &x) {
  const Expression bounded = select(x > 89, 89, select(x < -60, -60, x));
  const DoubleDouble half = scaled(exponential_of(bounded, x.constant(0)), -1);
  return select(abs(x) < 0x1p-25, x, total(plus(half, -0.5)) * 2);
}

Expression log1p(const Expression &x) {
  const Expression result = total(log1p_of({x, x.constant(0)}));
  const Expression defined = select(x < -1, quiet_nan, select(x == -1, -infinity, result));
  return select((abs(x) < 0x1p-26) | (x == infinity) | is_nan(x), x, defined);
}

// Computes numerator / (1 + t) with t in [0, 1].
Expression logistic(const Expression &x) {
  const Expression magnitude = abs(x);
  const DoubleDouble t = scaled(exponential_of(-select(magnitude > 110, 110, magnitude), x.constant(0)), 0);
  const Expression is_negative = x < 0;
  const DoubleDouble numerator = {select(is_negative, t.high, 1), select(is_negative, t.low, 0)};
  return total(quotient_of(numerator, plus(t, 1)));
}

Expression sinh(const Expression &x) {
  const Expression magnitude = abs(x);
  const Expression z = x * x;
  const Expression small = fma(magnitude * z, polynomial(z, sinh_coefficients), magnitude);
  const DoubleDouble half = scaled(exponential_of(bounded_magnitude(x), x.constant(0)), -1);
  const DoubleDouble large = plus(half, {half.high.constant(-0.25) / half.high, x.constant(0)});
  const Expression result = select(magnitude > largest_argument, infinity, total(large));
  return copy_sign(select(magnitude < 1, small, select(is_nan(x), x, result)), x);
}

Expression cosh(const Expression &x) {
  const Expression magnitude = abs(x);
  const DoubleDouble half = scaled(exponential_of(bounded_magnitude(x), x.constant(0)), -1);
  const Expression result = total(plus(half, {half.high.constant(0.25) / half.high, x.constant(0)}));
  return select(magnitude > largest_argument, infinity, result);
}

Expression asinh(const Expression &x) {
  const Expression magnitude = abs(x);
  const Expression is_large = magnitude > large_argument;
  const Expression bounded = select(is_large, 1, magnitude);
  const DoubleDouble square = exact_product(bounded, bounded);
  const DoubleDouble fraction = quotient_of(square, plus(root_of(plus(square, 1)), 1));
  const DoubleDouble less_one = plus(fraction, {bounded, x.constant(0)});
  const DoubleDouble argument = {select(is_large, magnitude, less_one.high), select(is_large, 0, less_one.low)};
  const Expression result = total(plus_ln2_if(is_large, log1p_of(argument)));
  const Expression is_itself = (magnitude < small_argument) | (magnitude == infinity) | is_nan(x);
  return copy_sign(select(is_itself, magnitude, result), x);
}

Expression acosh(const Expression &x) {
  const Expression is_large = x > large_argument;
  const DoubleDouble above = plus({select(is_large | (x < 1), 1, x), x.constant(0)}, -1);
  const DoubleDouble more = plus(above, 2);
  const auto [product, lost] = exact_product(above.high, more.high);
  const DoubleDouble square = {product, lost + fma(above.high, more.low, above.low * more.high)};
  const DoubleDouble less_one = plus(root_of(square), above);
  const DoubleDouble argument = {select(is_large, x, less_one.high), select(is_large, 0, less_one.low)};
  const Expression result = total(plus_ln2_if(is_large, log1p_of(argument)));
  return select(x < 1, quiet_nan, select((x == infinity) | is_nan(x), x, result));
}

Expression atanh(const Expression &x) {
  const Expression magnitude = abs(x);
  const DoubleDouble quotient = quotient_of({magnitude * 2, x.constant(0)}, plus({-magnitude, x.constant(0)}, 1));
  const Expression result = total(log1p_of(quotient)) * 0.5;
  const Expression defined = select(magnitude > 1, quiet_nan, select(magnitude == 1, infinity, result));
  return copy_sign(select((magnitude < small_argument) | is_nan(x), magnitude, defined), x);
}

Expression asin(const Expression &x) {
  const auto [is_large, angle] = arc_sine(abs(x));
  const Expression large = total(minus(multiple_of_half_pi(x, 1), twice(angle)));
  return copy_sign(select(is_large, large, total(angle)), x);
}

Expression acos(const Expression &x) {
  const auto [is_large, angle] = arc_sine(abs(x));
  const Expression near_one = total(angle) * 2;
  const Expression near_minus_one = total(minus(multiple_of_half_pi(x, 2), twice(angle)));
  const Expression middle = total(minus(multiple_of_half_pi(x, 1), {x, copy_sign(angle.low, x)}));
  return select(is_large, select(x < 0, near_minus_one, near_one), middle);
}

Expression atan(const Expression &x) {
  const Expression magnitude = abs(x);
  const Expression result = total(angle_of(magnitude, x.constant(1)));
  return copy_sign(select(is_nan(x), x, select(magnitude == infinity, half_pi, result)), x);
}

Expression atan2(const Expression &y, const Expression &x) {
  Expression height = abs(y), width = abs(x);
  const Expression both_infinite = (height == infinity) & (width == infinity);
  const Expression both_zero = (height == 0) & (width == 0);
  height = select(both_infinite, 1, height);
  width = select(both_infinite | both_zero, 1, width);
  // Prevents overflow of sums and loss of bits of quotients with subnormal operands.
  const Expression is_big = (height > 0x1p120) | (width > 0x1p120);
  const Expression is_small = (height < 0x1p-60) & (width < 0x1p-60);
  const Expression scale = select(is_big, x.constant(0x1p-20), select(is_small, x.constant(0x1p80), 1));
  const DoubleDouble right = angle_of(height * scale, width * scale);
  const Expression is_left = x.bits() < 0;
  const DoubleDouble left = minus(multiple_of_half_pi(x, 2), right);
  Expression result = select(is_left, total(left), total(right));
  result = select((height == infinity) & (width < infinity), half_pi, result);
  const Expression horizontal = (width == infinity) & (height < infinity);
  result = select(horizontal, select(is_left, x.constant(2 * half_pi), 0), result);
  return select(is_nan(x) | is_nan(y), quiet_nan, copy_sign(result, y));
}

Expression power_of_magnitude(const Expression &magnitude, const Expression &y) {
  constexpr double limit = 120;
  const Expression is_subnormal = magnitude < 0x1p-126;
  const Expression normal = select(is_subnormal, magnitude * 0x1p24, magnitude);
  const DoubleDouble scaled_log = log_of({normal, y.constant(0)});
  const DoubleDouble less = plus(plus(scaled_log, -24 * ln2_high), {y.constant(-24 * ln2_low), y.constant(0)});
  const Expression log = select(is_subnormal, less.high, scaled_log.high);
  const Expression log_low = select(is_subnormal, less.low, scaled_log.low);
  const auto [product, lost] = exact_product(y, log);
  const Expression bounded = select(product > limit, limit, select(product < -limit, -limit, product));
  const Expression low = select(abs(product) < limit, fma(y, log_low, lost), 0);
  const Exponential result = exponential_of(bounded, low);
  return scale_by_power_of_two(total(result.mantissa), result.exponent);
}

}  // namespace bp::emit::single
