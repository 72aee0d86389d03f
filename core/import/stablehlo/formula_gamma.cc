// The logarithm of the gamma function and its derivatives.
//
// Coefficients of rational approximations are fitted by least squares of the relative error at Chebyshev points, with
// 50 digits. Each comment states the function, the interval and the maximum relative error.
#include <limits>
#include <numbers>

#include "core/import/stablehlo/formula.h"

namespace bp::import::stablehlo {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

// Approximates log_gamma(x) / ((x - 1)(x - 2)) for 0.5 <= x <= 3; error 2.9e-18.
constexpr double log_gamma_near_numerator[] = {
    2.8270361350486346, 140.86983929462218, 1533.119387730957, 5785.148595157034, 8922.620309489897,
    5905.425432240296,  1644.2687582173464, 172.5867201497283, 5.034786434358989, 0.008843161305728691};
constexpr double log_gamma_near_denominator[] = {1.0,
                                                 80.12222339275685,
                                                 1250.0895861202778,
                                                 6543.194413663032,
                                                 13978.935147212744,
                                                 13202.700630686762,
                                                 5615.959511377523,
                                                 1028.865501523218,
                                                 70.67080696667871,
                                                 1.2538307247461433};

// Approximates digamma(x) / (x - root) for 1 <= x <= 2; error 2e-20.
constexpr double digamma_near_numerator[] = {56738553.48279687, 179880479.55861962, 158064922.5075121,
                                             51712128.57186918, 6237107.235186,     211281.49696009714,
                                             404.48277344079236};
constexpr double digamma_near_denominator[] = {1.0,
                                               82930880.89968482,
                                               158311606.51854983,
                                               96187919.09628439,
                                               22723244.013324324,
                                               1967760.1413510307,
                                               44351.9680130994};
constexpr double digamma_root = 1.4616321449683622, digamma_root_rest = 9.5499954299656977e-17;

// Stirling's series: B(2k) / (2k (2k - 1)), coefficients of powers of 1/x^2; sufficient for x >= 8.
constexpr double stirling[] = {1.0 / 12,        -1.0 / 360, 1.0 / 1260,       -1.0 / 1680,     1.0 / 1188,
                               -691.0 / 360360, 1.0 / 156,  -3617.0 / 122400, 43867.0 / 244188};
// The derivative of Stirling's series: B(2k) / 2k; sufficient for x >= 10.
constexpr double digamma_series[] = {1.0 / 12,  -1.0 / 120,     1.0 / 252, -1.0 / 240,
                                     1.0 / 132, -691.0 / 32760, 1.0 / 12,  -3617.0 / 8160};
// Coefficients B(2k) / (2k)! of the Euler-Maclaurin formula.
constexpr double euler_maclaurin[] = {8.3333333333333333e-2,   -1.3888888888888889e-3,  3.3068783068783069e-5,
                                      -8.2671957671957672e-7,  2.0876756987868099e-8,   -5.2841901386874932e-10,
                                      1.3382536530684679e-11,  -3.3896802963225829e-13, 8.5860620562778446e-15,
                                      -2.1748686985580619e-16, 5.5090028283602295e-18,  -1.3954464685812523e-19};

// For x > 0. If x < 8, the argument is shifted to between 0.5 and 3, and the resulting factors are multiplied.
Number positive_log_gamma(Number x) {
  Number is_small = x < 0.5;
  Number y = select(is_small, x + 1, x);
  Number factors = select(is_small, x, 1);
  for (int step = 0; step < 5; ++step) {
    Number is_above = y > 3;
    y = select(is_above, y - 1, y);
    factors = select(is_above, factors * y, factors);
  }
  Number log_factors = log(factors);
  Number near = (y - 1) * (y - 2) * rational(y, {log_gamma_near_numerator, log_gamma_near_denominator}) +
                select(is_small, -log_factors, log_factors);
  Number inverse = 1 / x;
  const double half_log_two_pi = 0.91893853320467274178;
  Number far = (x - 0.5) * (log(x) - 1) + (half_log_two_pi - 0.5 + inverse * polynomial(inverse * inverse, stirling));
  return select(x < 8, near, far);
}

// For x > 0. If x < 10, the argument is shifted to between 1 and 2.
Number positive_digamma(Number x) {
  Number is_small = x < 1;
  Number y = select(is_small, x + 1, x);
  Number sum = select(is_small, -1 / x, 0);
  for (int step = 0; step < 8; ++step) {
    Number is_above = y > 2;
    y = select(is_above, y - 1, y);
    sum = select(is_above, sum + 1 / y, sum);
  }
  Number from_root = (y - digamma_root) - digamma_root_rest;
  Number near = sum + from_root * rational(y, {digamma_near_numerator, digamma_near_denominator});
  Number inverse = 1 / x, square = inverse * inverse;
  Number far = log(x) - (0.5 * inverse + square * polynomial(square, digamma_series));
  return select(x < 10, near, far);
}

}  // namespace

// For x < 0: log(pi / |x sin(pi x)|) - log_gamma(|x|).
Number log_gamma(Number x) {
  Number z = abs(x);
  Number positive = positive_log_gamma(z);
  Number fraction = z - floor(z);
  Number sine = sin(std::numbers::pi * min(fraction, 1 - fraction));
  Number negative = -log(sine / std::numbers::pi) - log(z) - positive;
  return select(z == infinity, infinity, select(x < 0, negative, positive));
}

// For x < 0: digamma(1 - x) - pi / tan(pi x); NaN at 0, -1, -2, ...
Number digamma(Number x) {
  Number is_negative = x < 0;
  Number positive = positive_digamma(select(is_negative, 1 - x, x));
  Number fraction = x - floor(x + 0.5);
  // pi / tan(pi f), computed from the nearer end of a quarter turn.
  Number magnitude = abs(fraction);
  Number cotangent = select(magnitude < 0.25, std::numbers::pi / tan(std::numbers::pi * magnitude),
                            std::numbers::pi * tan(std::numbers::pi * (0.5 - magnitude)));
  Number negative = positive - select(fraction < 0, -cotangent, cotangent);
  Number is_pole = (fraction == 0) && !(x > 0);
  return select(is_pole, not_a_number, select(is_negative, negative, positive));
}

// Ten terms of the sum, then the integral and the correction terms of the Euler-Maclaurin formula.
Number zeta(Number s, Number q) {
  Number sum = pow(q, -s);
  Number a = q;
  for (int term = 1; term < 10; ++term) {
    a = a + 1;
    sum = sum + pow(a, -s);
  }
  a = a + 1;
  Number power = pow(a, -s);
  sum = sum + power * (a / (s - 1) + 0.5);
  Number factor = power * s / a;
  Number tail = factor * euler_maclaurin[0];
  double next = 1;
  for (std::size_t k = 1; k < std::size(euler_maclaurin); ++k) {
    factor = factor * (s + next) * (s + (next + 1)) / (a * a);
    tail = tail + factor * euler_maclaurin[k];
    next += 2;
  }
  // Cases without a sum: s <= 1; poles at q = 0, -1, ...; and q < 0 with s not an integer, where the powers are
  // complex.
  Number is_whole_s = floor(s) == s;
  Number is_pole = !(q > 0) && (floor(q) == q);
  Number is_complex = (q < 0) && !is_whole_s;
  Number result = select(is_pole, infinity, sum + tail);
  result = select(is_complex && !is_pole, not_a_number, result);
  result = select(s == 1, infinity, result);
  return select(s < 1, not_a_number, result);
}

// Computes (-1)^(n+1) n! zeta(n + 1, x).
Number polygamma(Number n, Number x) {
  Number is_odd = n - 2 * floor(n * 0.5) == 1;
  Number magnitude = exp(log_gamma(n + 1)) * zeta(n + 1, x);
  Number result = select(n == 0, digamma(x), select(is_odd, magnitude, -magnitude));
  Number is_order = (floor(n) == n) && !(n < 0);
  return select(is_order, result, not_a_number);
}

}  // namespace bp::import::stablehlo
