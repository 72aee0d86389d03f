// The unary ops as formulas. Real transcendental functions are computed in double and rounded once.
#include <bit>
#include <cmath>
#include <numbers>

#include "core/interpreter/loops.h"

namespace bp::interpreter {
namespace {

using ir::Opcode;

template <class W, double (*function)(double)>
constexpr Loop through_double = loop_of_one<W, W, [](W x) { return static_cast<W>(function(static_cast<double>(x))); }>;

double sign(double x) {
  return x > 0 ? 1 : x < 0 ? -1 : x;  // NaN and both zeros are their own sign
}
double rsqrt(double x) {
  return 1 / std::sqrt(x);
}
double logistic(double x) {
  return 1 / (1 + std::exp(-x));
}

template <class W>
Loop float_loop(Opcode opcode) {
  switch (opcode) {
    case Opcode::Abs: return loop_of_one<W, W, [](W x) { return std::fabs(x); }>;
    case Opcode::Negate: return loop_of_one<W, W, [](W x) { return -x; }>;
    case Opcode::Sign: return through_double<W, sign>;
    case Opcode::Ceil: return loop_of_one<W, W, [](W x) { return std::ceil(x); }>;
    case Opcode::Floor: return loop_of_one<W, W, [](W x) { return std::floor(x); }>;
    case Opcode::RoundNearestAfz: return loop_of_one<W, W, [](W x) { return std::round(x); }>;
    case Opcode::RoundNearestEven: return loop_of_one<W, W, [](W x) { return std::nearbyint(x); }>;
    case Opcode::Exponential: return through_double<W, std::exp>;
    case Opcode::ExponentialMinusOne: return through_double<W, std::expm1>;
    case Opcode::Log: return through_double<W, std::log>;
    case Opcode::LogPlusOne: return through_double<W, std::log1p>;
    case Opcode::Sqrt: return loop_of_one<W, W, [](W x) { return std::sqrt(x); }>;
    case Opcode::Rsqrt: return through_double<W, rsqrt>;
    case Opcode::Cbrt: return through_double<W, std::cbrt>;
    case Opcode::Sine: return through_double<W, std::sin>;
    case Opcode::Cosine: return through_double<W, std::cos>;
    case Opcode::Tan: return through_double<W, std::tan>;
    case Opcode::Sinh: return through_double<W, std::sinh>;
    case Opcode::Cosh: return through_double<W, std::cosh>;
    case Opcode::Tanh: return through_double<W, std::tanh>;
    case Opcode::Asin: return through_double<W, std::asin>;
    case Opcode::Acos: return through_double<W, std::acos>;
    case Opcode::Atan: return through_double<W, std::atan>;
    case Opcode::Asinh: return through_double<W, std::asinh>;
    case Opcode::Acosh: return through_double<W, std::acosh>;
    case Opcode::Atanh: return through_double<W, std::atanh>;
    case Opcode::Erf: return through_double<W, std::erf>;
    case Opcode::Logistic: return through_double<W, logistic>;
    case Opcode::Real: return loop_of_one<W, W, [](W x) { return x; }>;
    case Opcode::Imag: return loop_of_one<W, W, [](W) { return W(0); }>;
    default: return nullptr;
  }
}

template <class W>
Loop integer_loop(Opcode opcode) {
  using Bits = std::uint64_t;
  switch (opcode) {
    case Opcode::Abs:
      return loop_of_one<W, W, [](W x) { return x < W(0) ? static_cast<W>(Bits(0) - static_cast<Bits>(x)) : x; }>;
    case Opcode::Negate: return loop_of_one<W, W, [](W x) { return static_cast<W>(Bits(0) - static_cast<Bits>(x)); }>;
    case Opcode::Sign: return loop_of_one<W, W, [](W x) { return static_cast<W>((x > W(0)) - (x < W(0))); }>;
    case Opcode::Not:
      return loop_of_one<W, W, [](W x, const LoopParameters &p) {
        return static_cast<W>(low_bits(~static_cast<Bits>(x), p.bits));
      }>;
    case Opcode::PopulationCount:
      return loop_of_one<W, W, [](W x, const LoopParameters &p) {
        return static_cast<W>(std::popcount(low_bits(static_cast<Bits>(x), p.bits)));
      }>;
    case Opcode::CountLeadingZeros:
      return loop_of_one<W, W, [](W x, const LoopParameters &p) {
        return static_cast<W>(std::countl_zero(low_bits(static_cast<Bits>(x), p.bits)) - (64 - p.bits));
      }>;
    default: return nullptr;
  }
}

using Complex = std::complex<double>;
template <class W, Complex (*function)(Complex)>
constexpr Loop through_complex =
    loop_of_one<W, W, [](W x) { return static_cast<W>(function(static_cast<Complex>(x))); }>;

Complex negate(Complex z) {
  return -z;
}
Complex sign(Complex z) {
  return z == Complex(0) ? Complex(0) : z / std::abs(z);
}
// (e^a cos b - 1) + i e^a sin b, the real part without cancellation: cos b - 1 = -2 sin^2(b/2). Real for a real.
Complex expm1(Complex z) {
  double half_sine = std::sin(z.imag() / 2);
  double real = std::expm1(z.real()) * std::cos(z.imag()) - 2 * half_sine * half_sine;
  return {real, z.imag() == 0 ? z.imag() : std::exp(z.real()) * std::sin(z.imag())};
}
// log|1+z| = log1p(|1+z|^2 - 1) / 2
Complex log1p(Complex z) {
  double a = z.real(), b = z.imag();
  if (std::fabs(a) > 1e100 || std::fabs(b) > 1e100) {
    return std::log(1.0 + z);
  }
  return {std::log1p(a * (2 + a) + b * b) / 2, std::atan2(b, 1 + a)};
}
Complex rsqrt(Complex z) {
  return 1.0 / std::sqrt(z);
}
Complex logistic(Complex z) {
  return 1.0 / (1.0 + std::exp(-z));
}
template <Complex (*function)(const Complex &)>
Complex by_value(Complex z) {
  return function(z);
}

template <class W>
Loop complex_number_loop(Opcode opcode) {
  using R = typename W::value_type;
  switch (opcode) {
    case Opcode::Abs: return loop_of_one<W, R, [](W x) { return static_cast<R>(std::abs(static_cast<Complex>(x))); }>;
    case Opcode::Real: return loop_of_one<W, R, [](W x) { return x.real(); }>;
    case Opcode::Imag: return loop_of_one<W, R, [](W x) { return x.imag(); }>;
    case Opcode::Negate: return through_complex<W, negate>;
    case Opcode::Sign: return through_complex<W, sign>;
    case Opcode::Exponential: return through_complex<W, by_value<std::exp>>;
    case Opcode::ExponentialMinusOne: return through_complex<W, expm1>;
    case Opcode::Log: return through_complex<W, by_value<std::log>>;
    case Opcode::LogPlusOne: return through_complex<W, log1p>;
    case Opcode::Sqrt: return through_complex<W, by_value<std::sqrt>>;
    case Opcode::Rsqrt: return through_complex<W, rsqrt>;
    case Opcode::Sine: return through_complex<W, by_value<std::sin>>;
    case Opcode::Cosine: return through_complex<W, by_value<std::cos>>;
    case Opcode::Tan: return through_complex<W, by_value<std::tan>>;
    case Opcode::Sinh: return through_complex<W, by_value<std::sinh>>;
    case Opcode::Cosh: return through_complex<W, by_value<std::cosh>>;
    case Opcode::Tanh: return through_complex<W, by_value<std::tanh>>;
    case Opcode::Asin: return through_complex<W, by_value<std::asin>>;
    case Opcode::Acos: return through_complex<W, by_value<std::acos>>;
    case Opcode::Atan: return through_complex<W, by_value<std::atan>>;
    case Opcode::Asinh: return through_complex<W, by_value<std::asinh>>;
    case Opcode::Acosh: return through_complex<W, by_value<std::acosh>>;
    case Opcode::Atanh: return through_complex<W, by_value<std::atanh>>;
    case Opcode::Logistic: return through_complex<W, logistic>;
    default: return nullptr;
  }
}

}  // namespace

Loop unary_float_loop(Opcode opcode, Wide wide) {
  return wide == Wide::Double ? float_loop<double>(opcode) : float_loop<float>(opcode);
}

Loop unary_integer_loop(Opcode opcode, Wide wide) {
  return wide == Wide::Signed ? integer_loop<std::int64_t>(opcode) : integer_loop<std::uint64_t>(opcode);
}

Loop unary_complex_loop(Opcode opcode, Wide wide) {
  return wide == Wide::ComplexDouble ? complex_number_loop<std::complex<double>>(opcode)
                                     : complex_number_loop<std::complex<float>>(opcode);
}

Loop is_finite_loop(Wide wide) {
  return wide == Wide::Double ? loop_of_one<double, bool, [](double x) { return std::isfinite(x); }>
                              : loop_of_one<float, bool, [](float x) { return std::isfinite(x); }>;
}

}  // namespace bp::interpreter
