#include "tools/precision/wide_functions.h"

#include <algorithm>
#include <array>
#include <boost/math/special_functions/cbrt.hpp>
#include <boost/math/special_functions/erf.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <limits>

namespace bp::precision {
namespace {

namespace multiprecision = boost::multiprecision;
template <unsigned bits>
using WideNumber =
    multiprecision::number<multiprecision::cpp_bin_float<bits, multiprecision::digit_base_2>, multiprecision::et_off>;

constexpr double infinite = std::numeric_limits<double>::infinity();

// --- Reals ---

template <class N>
N modulo_two_pi(const N &x) {
  const N turn = 2 * boost::math::constants::pi<N>();
  return x - round(x / turn) * turn;
}
// Arguments are clamped: beyond the limits the result is outside the range of f64 anyway.
template <class N>
N exponential(const N &x) {
  return exp(x > 3000 ? N(3000) : x < -3000 ? N(-3000) : x);
}

// --- Complex numbers, by their definitions ---

template <class N>
struct Complex {
  N re, im;
};
template <class N>
Complex<N> operator+(const Complex<N> &x, const Complex<N> &y) {
  return {x.re + y.re, x.im + y.im};
}
template <class N>
Complex<N> operator-(const Complex<N> &x, const Complex<N> &y) {
  return {x.re - y.re, x.im - y.im};
}
template <class N>
Complex<N> operator-(const Complex<N> &x) {
  return {-x.re, -x.im};
}
template <class N>
Complex<N> operator*(const Complex<N> &x, const Complex<N> &y) {
  return {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
}
template <class N>
Complex<N> operator/(const Complex<N> &x, const Complex<N> &y) {
  const N square = y.re * y.re + y.im * y.im;
  return {(x.re * y.re + x.im * y.im) / square, (x.im * y.re - x.re * y.im) / square};
}
template <class N>
Complex<N> real(double x) {
  return {N(x), N(0)};
}
template <class N>
Complex<N> times_i(const Complex<N> &z) {
  return {-z.im, z.re};
}
template <class N>
N modulus(const Complex<N> &z) {
  return sqrt(N(z.re * z.re + z.im * z.im));
}

template <class N>
Complex<N> exp_of(const Complex<N> &z) {
  const N size = exponential(z.re), angle = modulo_two_pi(z.im);
  return {size * cos(angle), size * sin(angle)};
}
template <class N>
Complex<N> log_of(const Complex<N> &z) {
  const N half_turn = boost::math::constants::pi<N>();
  const N angle = z.im != 0 ? N(atan2(z.im, z.re)) : z.re > 0 ? N(0) : signbit(z.im) ? N(-half_turn) : half_turn;
  return {log(N(z.re * z.re + z.im * z.im)) / 2, angle};
}
template <class N>
Complex<N> sqrt_of(const Complex<N> &z) {
  const N root = sqrt(N((modulus(z) + abs(z.re)) / 2)), other = root == 0 ? root : N(z.im / (2 * root));
  return z.re >= 0 ? Complex<N>{root, other} : Complex<N>{abs(other), signbit(z.im) ? N(-root) : root};
}
template <class N>
Complex<N> sinh_of(const Complex<N> &z) {
  return (exp_of(z) - exp_of(-z)) * real<N>(0.5);
}
template <class N>
Complex<N> cosh_of(const Complex<N> &z) {
  return (exp_of(z) + exp_of(-z)) * real<N>(0.5);
}
template <class N>
Complex<N> asinh_of(const Complex<N> &z) {
  // The function is odd; of z and -z, the argument whose sum does not cancel is used.
  const Complex<N> w = z.re < 0 ? -z : z, result = log_of(w + sqrt_of(w * w + real<N>(1)));
  return z.re < 0 ? -result : result;
}
template <class N>
Complex<N> acosh_of(const Complex<N> &z) {
  return log_of(z + sqrt_of(z + real<N>(1)) * sqrt_of(z - real<N>(1)));
}
template <class N>
Complex<N> atanh_of(const Complex<N> &z) {
  return (log_of(real<N>(1) + z) - log_of(real<N>(1) - z)) * real<N>(0.5);
}
// Returns f(z) = -i g(iz).
template <class N>
Complex<N> turned(Complex<N> (*g)(const Complex<N> &), const Complex<N> &z) {
  return -times_i(g(times_i(z)));
}
template <class N>
Complex<N> acos_of(const Complex<N> &z) {
  const Complex<N> asin = turned(asinh_of<N>, z);
  return {boost::math::constants::half_pi<N>() - asin.re, -asin.im};
}

template <class N>
Complex<N> value(std::string_view name, const Complex<N> &x, const Complex<N> &y) {
  const Complex<N> one = real<N>(1), i{N(0), N(1)};
  using F = Complex<N> (*)(const Complex<N> &);
  constexpr std::array<std::pair<std::string_view, F>, 9> by_name = {{{"exponential", exp_of<N>},
                                                                      {"log", log_of<N>},
                                                                      {"sqrt", sqrt_of<N>},
                                                                      {"sinh", sinh_of<N>},
                                                                      {"cosh", cosh_of<N>},
                                                                      {"asinh", asinh_of<N>},
                                                                      {"acosh", acosh_of<N>},
                                                                      {"atanh", atanh_of<N>},
                                                                      {"acos", acos_of<N>}}};
  if (const auto found = std::ranges::find(by_name, name, &std::pair<std::string_view, F>::first);
      found != by_name.end()) {
    return found->second(x);
  }
  if (name == "tanh") {
    return one - real<N>(2) / (exp_of(x + x) + one);
  }
  if (name == "sine") {
    return turned(sinh_of<N>, x);
  }
  if (name == "cosine") {
    return cosh_of(times_i(x));
  }
  if (name == "tan") {
    return -times_i(value("tanh", times_i(x), x));
  }
  if (name == "asin") {
    return turned(asinh_of<N>, x);
  }
  if (name == "atan") {
    return turned(atanh_of<N>, x);
  }
  if (name == "exponential-minus-one") {
    return exp_of(x) - one;
  }
  if (name == "log-plus-one") {
    return log_of(Complex<N>{x.re + 1, x.im});
  }
  if (name == "rsqrt") {
    return one / sqrt_of(x);
  }
  if (name == "logistic") {
    return one / (one + exp_of(-x));
  }
  if (name == "abs") {
    return {modulus(x), N(0)};
  }
  if (name == "sign") {
    const N size = modulus(x);
    return {x.re / size, x.im / size};
  }
  if (name == "multiply") {
    return x * y;
  }
  if (name == "divide") {
    return x / y;
  }
  if (name == "power") {
    return exp_of(y * log_of(x));
  }
  return -times_i(log_of((y + i * x) / sqrt_of(y * y + x * x)));  // atan2(x, y)
}

using Extended = std::complex<long double>;
constexpr long double undefined = std::numeric_limits<long double>::quiet_NaN();

Extended textbook_product(Extended x, Extended y) {
  return {x.real() * y.real() - x.imag() * y.imag(), x.real() * y.imag() + x.imag() * y.real()};
}
// Where e^z has no angle, the result is NaN, as in NumPy.
Extended special_less_one(Extended z) {
  const bool has_angle = std::isfinite(z.real()) || std::isfinite(z.imag());
  return has_angle ? std::exp(z) - 1.0L : Extended(undefined, undefined);
}
Extended special_logistic(Extended z) {
  if (!std::isinf(z.real()) || !std::isfinite(z.imag())) {
    return Extended(1) / (1.0L + std::exp(-z));
  }
  const long double sine = std::copysign(0.0L, std::sin(z.imag()));
  return {z.real() > 0 ? 1 : std::copysign(0.0L, std::cos(z.imag())), sine};
}
// Annex G leaves these results open; docs/precision.md defines them.
Extended special_power(Extended x, Extended y) {
  if (y == Extended(0) || x == Extended(1)) {
    return 1;
  }
  const bool is_real = x.imag() == 0 && y.imag() == 0;
  if (x == Extended(0)) {
    return is_real && y.real() > 0 ? Extended(0) : Extended(undefined, undefined);
  }
  const bool is_positive = is_real && x.real() > 0;
  const std::complex<double> log(std::log(x));  // only in double can it be 0 or infinite
  return is_positive ? Extended(std::pow(x.real(), y.real()), std::copysign(0.0L, y.real() * x.imag()))
                     : std::exp(textbook_product(y, log));
}

constexpr WideFunction functions_of_complex[] = {
    {"exponential", 1, false, [](Extended z) { return std::exp(z); }},
    {"exponential-minus-one", 1, true, special_less_one},
    {"log", 1, false, [](Extended z) { return std::log(z); }},
    {"log-plus-one", 1, true, [](Extended z) { return std::log(Extended(1 + z.real(), z.imag())); }},
    {"sqrt", 1, false, [](Extended z) { return std::sqrt(z); }},
    {"rsqrt", 1, true, [](Extended z) { return Extended(1) / std::sqrt(z); }},
    {"sine", 1, false, [](Extended z) { return std::sin(z); }},
    {"cosine", 1, false, [](Extended z) { return std::cos(z); }},
    {"tan", 1, false, [](Extended z) { return std::tan(z); }},
    {"sinh", 1, false, [](Extended z) { return std::sinh(z); }},
    {"cosh", 1, false, [](Extended z) { return std::cosh(z); }},
    {"tanh", 1, false, [](Extended z) { return std::tanh(z); }},
    {"asin", 1, false, [](Extended z) { return std::asin(z); }},
    {"acos", 1, false, [](Extended z) { return std::acos(z); }},
    {"atan", 1, false, [](Extended z) { return std::atan(z); }},
    {"asinh", 1, false, [](Extended z) { return std::asinh(z); }},
    {"acosh", 1, false, [](Extended z) { return std::acosh(z); }},
    {"atanh", 1, false, [](Extended z) { return std::atanh(z); }},
    {"logistic", 1, true, special_logistic},
    {"abs", 1, true, [](Extended z) { return Extended(std::abs(z), 0); }},
    {"sign", 1, true, [](Extended z) { return z == Extended(0) ? z : z / std::abs(z); }},
    {"multiply", 2, true, nullptr, textbook_product},
    {"divide", 2, true, nullptr, [](Extended x, Extended y) { return x / y; }},
    {"power", 2, true, nullptr, special_power},
    {"atan2", 2, false},
};

// --- Distances ---

// Returns the unit in the last place of an f64 or an f32.
template <class N>
double unit(const N &x, bool is_single) {
  using std::frexp;
  const int least = is_single ? -149 : -1074;
  int exponent = least;
  if (x != 0) {
    frexp(x, &exponent);
    exponent = std::max(exponent - (is_single ? 24 : 53), least);
  }
  return std::ldexp(1.0, std::min(exponent, 1000));
}

// `slack`: relative tolerance of the exact result; within it, results at the end of the range may be finite or
// infinite.
template <class N>
double units(double found, const N &exact, bool is_single, double slack = 0) {
  const N above = ldexp(N(1), is_single ? 128 : 1024), most = above - ldexp(N(1), is_single ? 103 : 970);
  if (std::isnan(found) || isnan(exact)) {
    return infinite;
  }
  if (std::isinf(found)) {  // right from half a unit above the largest number on, or from slightly below
    return N(found < 0 ? N(-exact) : exact) * (1 + slack) >= most ? 0 : infinite;
  }
  if (abs(exact) * (1 - slack) >= above) {
    return infinite;
  }
  const auto result = N(abs(found - exact) / unit(exact, is_single)).template convert_to<double>();
  return std::isnan(result) ? infinite : result;
}

// The exponent of a power, and the factor by which it magnifies an error of the logarithm.
template <class N>
struct Exponent {
  N real;
  double size;
};
template <class N>
Exponent<N> exponent_of(const WideInput &input) {
  const Complex<N> exponent =
      Complex<N>{N(input.y.real()), N(input.y.imag())} * log_of(Complex<N>{N(input.x.real()), N(input.x.imag())});
  return {exponent.re, modulus(exponent).template convert_to<double>()};
}
// For magnified errors that leave no digit: the result must be 0 or infinite if the exponent is far outside the range.
template <class N>
Distance distance_of_size(const Exponent<N> &exponent, std::complex<double> found, double error, bool is_single) {
  const double end = (is_single ? 104 : 745) + 1 + error;
  const bool is_wrong = (exponent.real > end && !std::isinf(found.real()) && !std::isinf(found.imag())) ||
                        (exponent.real < -end && found != 0.0);
  return is_wrong ? Distance{infinite, infinite} : Distance{};
}

template <class N>
Distance complex_distance(std::string_view name, const WideInput &input, std::complex<double> found, bool is_single,
                          bool is_magnified) {
  double slack = 0, magnified = 1;
  if (name == "power" && is_magnified) {
    const Exponent<N> exponent = exponent_of<N>(input);
    magnified += exponent.size;
    slack = std::ldexp(magnified, is_single ? -20 : -49);
    if (!(slack < 0.1)) {
      return distance_of_size(exponent, found, slack, is_single);
    }
  }
  const Complex<N> exact =
      value<N>(name, {N(input.x.real()), N(input.x.imag())}, {N(input.y.real()), N(input.y.imag())});
  const N size = abs(exact.re) > abs(exact.im) ? abs(exact.re) : abs(exact.im);
  const bool overflows = size >= ldexp(N(1), is_single ? 128 : 1024);
  const auto distance = [&](double part, const N &expected) {
    if (overflows && abs(expected) <= slack * size) {
      return Distance{};  // next to an infinite part, an error of the angle may produce any value
    }
    const double in_units = units(part, expected, is_single, slack);
    // `norm_ulps` is in units of the larger part.
    return Distance{in_units, std::isinf(in_units)
                                  ? in_units
                                  : in_units * unit(expected, is_single) / unit(size, is_single) / magnified};
  };
  const Distance real = distance(found.real(), exact.re), imaginary = distance(found.imag(), exact.im);
  return {std::max(real.part_ulps, imaginary.part_ulps), std::max(real.norm_ulps, imaginary.norm_ulps)};
}

bool is_ordinary(double x) {
  return x == 0 || (std::fabs(x) < 0x1p60 && std::fabs(x) > 0x1p-60);
}

// Returns the distance where an argument or the result is special: 0 or infinite, or that from a finite expected
// result.
double special_units(double found, double expected, bool is_single) {
  if (std::isnan(expected) || std::isnan(found)) {
    return std::isnan(expected) && std::isnan(found) ? 0 : infinite;
  }
  if (expected == 0 || std::isinf(expected)) {
    return found == expected && std::signbit(found) == std::signbit(expected) ? 0 : infinite;
  }
  return std::fabs(found - expected) / unit(expected, is_single);
}

}  // namespace

std::span<const WideFunction> complex_functions() {
  return functions_of_complex;
}

bool has_definition(const WideFunction &function, const WideInput &input) {
  const std::array parts = {input.x.real(), input.x.imag(), input.y.real(), input.y.imag()};
  const auto used = std::span(parts).first(function.operands == 1 ? 2 : 4);
  if (!std::ranges::all_of(used, [](double x) { return std::isfinite(x); })) {
    return false;
  }
  if (!function.is_defined_at_zeros) {
    return std::ranges::none_of(used, [](double x) { return x == 0; });
  }
  // False at logarithms of zero, quotients by zero, and where a power does not depend on the exponent or the base.
  const std::string_view name = function.name;
  const bool is_singular = name == "log-plus-one"              ? input.x == -1.0
                           : name == "rsqrt" || name == "sign" ? input.x == 0.0
                           : name == "divide"                  ? input.y == 0.0
                           : name == "power"                   ? input.x == 0.0 || input.x == 1.0 || input.y == 0.0
                                                               : false;
  return !is_singular;
}

Distance distance_of_complex(const WideFunction &function, const WideInput &input, std::complex<double> found,
                             ir::ElementType part_type, bool is_magnified) {
  const bool is_single = part_type == ir::ElementType::F32;
  const bool is_small =
      std::ranges::all_of(std::array{input.x.real(), input.x.imag(), input.y.real(), input.y.imag()}, is_ordinary);
  if (is_small) {
    const Distance near = complex_distance<WideNumber<640>>(function.name, input, found, is_single, is_magnified);
    if (!std::isinf(near.norm_ulps)) {
      return near;
    }
    // Beside an infinite part of a power, 640 bits may not tell a part that is 0 from a large one.
  }
  return complex_distance<WideNumber<4800>>(function.name, input, found, is_single, is_magnified);
}

std::optional<Distance> distance_of_special(const WideFunction &function, const WideInput &input,
                                            std::complex<double> found, ir::ElementType part_type) {
  const Extended x(input.x.real(), input.x.imag()), y(input.y.real(), input.y.imag());
  if (function.of_specials == nullptr && function.of_specials_of_two == nullptr) {
    return std::nullopt;
  }
  const Extended expected = function.operands == 1 ? function.of_specials(x) : function.of_specials_of_two(x, y);
  const auto rounded = [&](long double number) {
    return part_type == ir::ElementType::F32 ? static_cast<double>(static_cast<float>(number))
                                             : static_cast<double>(number);
  };
  // Annex G leaves the signs of these zeros and infinities open.
  const auto has_finite = [](Extended z) { return std::isfinite(z.real()) || std::isfinite(z.imag()); };
  const bool is_real = x.imag() == 0 && y.imag() == 0 && x.real() >= 0;
  const bool has_signs = !std::isnan(expected.real()) && !std::isnan(expected.imag()) && has_finite(x) &&
                         has_finite(y) && (function.name != "power" || is_real);
  const auto distance = [&](double part, long double exact) {
    return std::fabs(part) == std::fabs(rounded(exact)) && !has_signs
               ? 0
               : special_units(part, rounded(exact), part_type == ir::ElementType::F32);
  };
  const double real = distance(found.real(), expected.real()), imaginary = distance(found.imag(), expected.imag());
  return Distance{std::max(real, imaginary), std::max(real, imaginary)};
}

double distance_of_real(std::string_view name, double x, double y, double near, double found) {
  if (!std::isfinite(x) || !std::isfinite(y) || std::isnan(near) || x == 0) {
    return special_units(found, near, false);
  }
  if (name == "erf") {
    using Hundred = multiprecision::cpp_bin_float_100;
    return units(found, Hundred(boost::math::erf(Hundred(x))), false);
  }
  if (name == "cbrt") {
    const WideNumber<640> root = exp(log(WideNumber<640>(std::fabs(x))) / 3);
    return units(found, x < 0 ? WideNumber<640>(-root) : root, false);
  }
  using N = WideNumber<1400>;
  return units(found, value<N>(name, {N(x), N(0)}, {N(y), N(0)}).re, false);
}

}  // namespace bp::precision
