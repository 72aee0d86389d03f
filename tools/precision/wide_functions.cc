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
N less_whole_turns(const N &x) {
  const N turn = 2 * boost::math::constants::pi<N>();
  return x - round(x / turn) * turn;
}
// Beyond any result that is an f64.
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
  const N size = exponential(z.re), angle = less_whole_turns(z.im);
  return {size * cos(angle), size * sin(angle)};
}
template <class N>
Complex<N> log_of(const Complex<N> &z) {
  return {log(N(z.re * z.re + z.im * z.im)) / 2, atan2(z.im, z.re)};
}
template <class N>
Complex<N> sqrt_of(const Complex<N> &z) {
  const N root = sqrt(N((modulus(z) + abs(z.re)) / 2)), other = root == 0 ? root : N(z.im / (2 * root));
  return z.re >= 0 ? Complex<N>{root, other} : Complex<N>{abs(other), z.im < 0 ? N(-root) : root};
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
  // Odd; of the two the one whose sum does not cancel.
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
// f(z) = -i g(iz)
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
    return log_of(x + one);
  }
  if (name == "rsqrt") {
    return one / sqrt_of(x);
  }
  if (name == "logistic") {
    return one / (one + exp_of(-x));
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

constexpr WideFunction functions_of_complex[] = {
    {"exponential", 1, [](std::complex<long double> z) { return std::exp(z); }},
    {"exponential-minus-one", 1},
    {"log", 1, [](std::complex<long double> z) { return std::log(z); }},
    {"log-plus-one", 1},
    {"sqrt", 1, [](std::complex<long double> z) { return std::sqrt(z); }},
    {"rsqrt", 1},
    {"sine", 1, [](std::complex<long double> z) { return std::sin(z); }},
    {"cosine", 1, [](std::complex<long double> z) { return std::cos(z); }},
    {"tan", 1, [](std::complex<long double> z) { return std::tan(z); }},
    {"sinh", 1, [](std::complex<long double> z) { return std::sinh(z); }},
    {"cosh", 1, [](std::complex<long double> z) { return std::cosh(z); }},
    {"tanh", 1, [](std::complex<long double> z) { return std::tanh(z); }},
    {"asin", 1, [](std::complex<long double> z) { return std::asin(z); }},
    {"acos", 1, [](std::complex<long double> z) { return std::acos(z); }},
    {"atan", 1, [](std::complex<long double> z) { return std::atan(z); }},
    {"asinh", 1, [](std::complex<long double> z) { return std::asinh(z); }},
    {"acosh", 1, [](std::complex<long double> z) { return std::acosh(z); }},
    {"atanh", 1, [](std::complex<long double> z) { return std::atanh(z); }},
    {"logistic", 1},
    {"sign", 1},
    {"multiply", 2},
    {"divide", 2},
    {"power", 2},
    {"atan2", 2},
};

// --- Distances ---

// One in the last place of an f64, or an f32.
template <class N>
double unit(const N &x, bool is_single) {
  const int least = is_single ? -149 : -1074;
  int exponent = least;
  if (x != 0) {
    frexp(x, &exponent);
    exponent = std::max(exponent - (is_single ? 24 : 53), least);
  }
  return std::ldexp(1.0, std::min(exponent, 1000));
}

template <class N>
double units(double found, const N &exact, bool is_single) {
  const N above = ldexp(N(1), is_single ? 128 : 1024), most = above - ldexp(N(1), is_single ? 103 : 970);
  if (std::isnan(found) || isnan(exact)) {
    return infinite;
  }
  if (std::isinf(found)) {  // what is rounded, from half a unit above the largest number on, or a little less
    return N(found < 0 ? N(-exact) : exact) >= most ? 0 : infinite;
  }
  if (abs(exact) >= above) {
    return infinite;
  }
  const auto result = N(abs(found - exact) / unit(exact, is_single)).template convert_to<double>();
  return std::isnan(result) ? infinite : result;
}

template <class N>
Distance complex_distance(std::string_view name, const WideInput &input, std::complex<double> found, bool is_single) {
  const Complex<N> exact =
      value<N>(name, {N(input.x.real()), N(input.x.imag())}, {N(input.y.real()), N(input.y.imag())});
  const N size = abs(exact.re) > abs(exact.im) ? abs(exact.re) : abs(exact.im);
  const auto distance = [&](double part, const N &expected) {
    const double in_units = units(part, expected, is_single);
    // The second distance is in units of the larger part.
    return Distance{in_units,
                    std::isinf(in_units) ? in_units : in_units * unit(expected, is_single) / unit(size, is_single)};
  };
  const Distance real = distance(found.real(), exact.re), imaginary = distance(found.imag(), exact.im);
  return {std::max(real.of_parts, imaginary.of_parts), std::max(real.of_norm, imaginary.of_norm)};
}

bool is_ordinary(double x) {
  return x == 0 || (std::fabs(x) < 0x1p60 && std::fabs(x) > 0x1p-60);
}

// The distance where an argument or the result is special: 0 or infinite.
double special_units(double found, double expected) {
  if (std::isnan(expected) || std::isnan(found)) {
    return std::isnan(expected) && std::isnan(found) ? 0 : infinite;
  }
  if (expected == 0 || std::isinf(expected)) {
    return found == expected && std::signbit(found) == std::signbit(expected) ? 0 : infinite;
  }
  return std::fabs(found - expected) / (std::nextafter(std::fabs(expected), infinite) - std::fabs(expected));
}

}  // namespace

std::span<const WideFunction> complex_functions() {
  return functions_of_complex;
}

Distance distance_of_complex(const WideFunction &function, const WideInput &input, std::complex<double> found,
                             ir::ElementType part_type) {
  const bool is_single = part_type == ir::ElementType::F32;
  const bool is_small =
      std::ranges::all_of(std::array{input.x.real(), input.x.imag(), input.y.real(), input.y.imag()}, is_ordinary);
  return is_small ? complex_distance<WideNumber<640>>(function.name, input, found, is_single)
                  : complex_distance<WideNumber<4800>>(function.name, input, found, is_single);
}

Distance distance_of_special(const WideFunction &function, std::complex<double> z, std::complex<double> found,
                             ir::ElementType part_type) {
  const std::complex<long double> expected = function.of_specials({z.real(), z.imag()});
  const auto rounded = [&](long double x) {
    return part_type == ir::ElementType::F32 ? static_cast<double>(static_cast<float>(x)) : static_cast<double>(x);
  };
  // Annex G leaves open what sign a zero or an infinite has there.
  const bool has_signs = !std::isnan(expected.real()) && !std::isnan(expected.imag()) &&
                         (std::isfinite(z.real()) || std::isfinite(z.imag()));
  const auto distance = [&](double part, long double exact) {
    return std::fabs(part) == std::fabs(exact) && !has_signs ? 0 : special_units(part, rounded(exact));
  };
  const double real = distance(found.real(), expected.real()), imaginary = distance(found.imag(), expected.imag());
  return {std::max(real, imaginary), std::max(real, imaginary)};
}

double distance_of_real(std::string_view name, double x, double y, double near, double found) {
  if (!std::isfinite(x) || !std::isfinite(y) || std::isnan(near) || x == 0) {
    return special_units(found, near);
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
