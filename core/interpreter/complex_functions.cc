#include "core/interpreter/complex_functions.h"

#include <algorithm>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <limits>
#include <numbers>

namespace bp::interpreter {
namespace {

namespace multiprecision = boost::multiprecision;

template <unsigned bits>
using Number =
    multiprecision::number<multiprecision::cpp_bin_float<bits, multiprecision::digit_base_2>, multiprecision::et_off>;
// Enough digits for cancellation between numbers of ordinary size, and for reducing any f64 angle by whole turns.
using Precise = Number<320>;
// Enough also where terms cancel that are as large or as small as is possible in f64, and for powers of numbers whose
// angles are as near to those of the axes as is possible there. One type for both: each takes seconds to compile.
using VeryPrecise = Number<2400>;

bool is_finite(Extended z) {
  return std::isfinite(z.real()) && std::isfinite(z.imag());
}
template <class N>
long double rounded(const N &x) {
  return static_cast<long double>(x);
}

Extended textbook_product(Extended x, Extended y) {
  return {x.real() * y.real() - x.imag() * y.imag(), x.real() * y.imag() + x.imag() * y.real()};
}

// Returns ab - cd, rounded once (Kahan).
long double difference_of_products(long double a, long double b, long double c, long double d) {
  const long double product = c * d;
  return std::fma(a, b, -product) + std::fma(-c, d, product);
}

template <class N>
struct Direction {
  N cosine, sine;
};
// Returns the cosine and sine of an angle. A part that is not larger than the possible error of the angle is zero,
// which occurs at multiples of a quarter turn.
template <class N>
Direction<N> direction(const N &angle) {
  const N turn = 2 * boost::math::constants::pi<N>();
  const N rest = angle - round(angle / turn) * turn;
  const N noise = ldexp(N(abs(angle)), 70 - std::numeric_limits<N>::digits);
  const auto settled = [&](const N &part) { return abs(part) < noise ? N(0) : part; };
  return {settled(cos(rest)), settled(sin(rest))};
}

template <class N>
N square_of_modulus(const N &x, const N &y) {
  return x * x + y * y;
}

template <class N>
N log_of_modulus(Extended z) {
  const N larger = std::max(std::fabs(z.real()), std::fabs(z.imag()));
  const N smaller = std::min(std::fabs(z.real()), std::fabs(z.imag()));
  const N excess = (larger - 1) * (larger + 1) + smaller * smaller;
  return (abs(excess) < 0.5 ? N(log1p(excess)) : N(log(square_of_modulus(larger, smaller)))) / 2;
}

template <class N>
N angle_of(Extended z) {
  if (z.imag() == 0) {
    return std::signbit(z.real()) ? std::copysign(1.0L, z.imag()) * boost::math::constants::pi<N>() : N(z.imag());
  }
  return atan2(N(z.imag()), N(z.real()));
}

template <class N>
Extended power_of_finite(Extended x, Extended y) {
  constexpr int limit = 5000;  // e^5000 exceeds f64
  const N log = log_of_modulus<N>(x), angle = angle_of<N>(x), real = y.real(), imaginary = y.imag();
  const N exponent = real * log - imaginary * angle;
  const N size = exp(exponent > limit ? N(limit) : exponent < -limit ? N(-limit) : exponent);
  const Direction<N> turned = direction<N>(imaginary * log + real * angle);
  return {rounded<N>(size * turned.cosine), rounded<N>(size * turned.sine)};
}

// Returns the sum of two terms; if their leading digits cancel, both are recomputed with many digits.
template <class Sum>
long double sum_of_terms(const Sum &sum, Extended z) {
  const auto [x, y] = sum(z.real(), z.imag());
  const bool cancels = std::isfinite(x) && std::isfinite(y) && std::fabs(x + y) < std::fabs(x) * 0x1p-6L;
  if (!cancels) {
    return x + y;
  }
  const auto [first, second] = sum(VeryPrecise(z.real()), VeryPrecise(z.imag()));
  return rounded<VeryPrecise>(first + second);
}

template <class N>
struct Terms {
  N first, second;
};
long double cosine_of(long double x) {
  return std::cos(x);
}
VeryPrecise cosine_of(const VeryPrecise &x) {
  return direction(x).cosine;
}
long double sine_of(long double x) {
  return std::sin(x);
}
VeryPrecise sine_of(const VeryPrecise &x) {
  return direction(x).sine;
}

}  // namespace

Extended multiply_precisely(Extended x, Extended y) {
  const long double real = difference_of_products(x.real(), y.real(), x.imag(), y.imag());
  const long double imaginary = difference_of_products(x.real(), y.imag(), -x.imag(), y.real());
  // Infinities, NaN and the signs of zeros are those of the textbook product.
  const Extended textbook = textbook_product(x, y);
  if (!is_finite({real, imaginary})) {
    return textbook;
  }
  return {real == 0 ? textbook.real() : real, imaginary == 0 ? textbook.imag() : imaginary};
}

Extended divide_precisely(Extended x, Extended y) {
  if (!is_finite(x) || !is_finite(y) || y == Extended(0)) {
    return x / y;
  }
  const long double square = square_of_modulus(y.real(), y.imag());
  const long double real = difference_of_products(x.real(), y.real(), -x.imag(), y.imag()) / square;
  const long double imaginary = difference_of_products(x.imag(), y.real(), x.real(), y.imag()) / square;
  const Extended textbook = x / y;  // has the right signs of zeros
  return {real == 0 ? textbook.real() : real, imaginary == 0 ? textbook.imag() : imaginary};
}

// (e^a cos b - 1) + i e^a sin b, where cos b - 1 = -2 sin^2(b/2). Real for real arguments.
Extended exponential_minus_one(Extended z) {
  const auto real = []<class N>(const N &a, const N &b) -> Terms<N> {
    using std::expm1;
    const N half_sine = sine_of(N(b / 2));
    return {expm1(a) * cosine_of(b), -2 * half_sine * half_sine};
  };
  if (z.imag() == 0) {
    return {std::expm1(z.real()), z.imag()};
  }
  return {sum_of_terms(real, z), std::exp(z.real()) * std::sin(z.imag())};
}

// Where rounding 1 + z matters, log|1 + z| = log1p(a (2 + a) + b^2) / 2.
Extended log_plus_one(Extended z) {
  const long double a = z.real(), b = z.imag();
  const Extended log = std::log(1.0L + z);
  if (!(std::fabs(a) < 0x1p-8L && std::fabs(b) < 1)) {
    return log;
  }
  const Precise excess = Precise(a) * (2 + Precise(a)) + Precise(b) * b;
  return {std::log1p(rounded<Precise>(excess)) / 2, log.imag()};
}

// (1 + e^-a cos b) + i e^-a sin b, divided by its squared modulus, which is (1 - e^-a)^2 + 4 e^-a cos^2(b/2). For
// negative a, numerator and denominator are multiplied by e^2a.
Extended logistic(Extended z) {
  const long double a = z.real(), b = z.imag();
  if (!std::isfinite(b) || std::isnan(a)) {
    return 1.0L / (1.0L + std::exp(-z));
  }
  if (b == 0 && std::isfinite(a)) {
    return {1 / (1 + std::exp(-a)), b};
  }
  const auto real = []<class N>(const N &x, const N &y) -> Terms<N> {
    using std::exp, std::expm1;
    const N half_cosine = cosine_of(N(y / 2)), other = 2 * half_cosine * half_cosine;
    return x < 0 ? Terms<N>{expm1(x), other} : Terms<N>{-expm1(N(-x)), exp(N(-x)) * other};
  };
  const long double decay = std::exp(-std::fabs(a)), less_one = std::expm1(-std::fabs(a)),
                    half_cosine = std::cos(b / 2);
  const long double square = less_one * less_one + 4 * decay * half_cosine * half_cosine;
  const long double scale = a < 0 ? decay : 1;
  return {scale * sum_of_terms(real, z) / square, decay * std::sin(b) / square};
}

Extended power(Extended x, Extended y) {
  if (y == Extended(0) || x == Extended(1)) {
    return 1;
  }
  const bool is_real = x.imag() == 0 && y.imag() == 0;
  if (x == Extended(0)) {
    constexpr long double nan = std::numeric_limits<long double>::quiet_NaN();
    return is_real && y.real() > 0 ? Extended(0) : Extended(nan, nan);
  }
  if (!is_finite(x) || !is_finite(y)) {
    return is_real && x.real() > 0 ? Extended(std::pow(x.real(), y.real()), std::copysign(0.0L, y.real() * x.imag()))
                                   : std::exp(textbook_product(y, std::log(x)));
  }
  // More digits are needed for whole turns of large angles, and for angles that come from parts much smaller than all
  // others.
  constexpr long double limit = 0x1p64L;
  bool needs_digits = false;
  for (const long double part : {x.real(), x.imag(), y.real(), y.imag()}) {
    const long double size = std::fabs(part);
    needs_digits = needs_digits || size > limit || (size < 1 / limit && size != 0);
  }
  return needs_digits ? power_of_finite<VeryPrecise>(x, y) : power_of_finite<Precise>(x, y);
}

// With u = x + iy and v = x - iy, the result is (arg u - arg v) / 2 - i (log|u| - log|v|) / 2, up to half turns. The
// number of half turns is taken from the original formula.
Extended complex_atan2(Extended y, Extended x) {
  const Extended i(0, 1);
  const Extended formula = -i * std::log((x + i * y) / std::sqrt(x * x + y * y));
  const Precise a = x.real(), b = x.imag(), c = y.real(), d = y.imag();
  if (!is_finite(x) || !is_finite(y) || !is_finite(formula)) {
    return formula;
  }
  const Precise square_of_u = square_of_modulus<Precise>(a - d, b + c),
                square_of_v = square_of_modulus<Precise>(a + d, b - c);
  if (square_of_u == 0 || square_of_v == 0) {
    return formula;
  }
  const Precise along = a * a + b * b - c * c - d * d, across = 2 * (a * c + b * d);
  const Precise angle = across == 0 && along > 0 ? Precise(0) : Precise(atan2(across, along) / 2);
  long double half_turns = std::round((formula.real() - rounded<Precise>(angle)) / std::numbers::pi_v<long double>);
  if (half_turns * angle > 0) {
    half_turns = -half_turns;  // an angle just above half a turn is just above minus half a turn
  }
  const Precise excess = 4 * (a * d - b * c) / square_of_u;  // |v|^2 / |u|^2 - 1
  const Precise log_of_ratio = abs(excess) < 0.5 ? log1p(excess) : log(square_of_v / square_of_u);
  return {rounded<Precise>(angle + half_turns * boost::math::constants::pi<Precise>()),
          rounded<Precise>(log_of_ratio / 4)};
}

}  // namespace bp::interpreter
