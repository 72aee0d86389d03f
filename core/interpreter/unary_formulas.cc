// Formulas of unary ops.
#include <bit>
#include <cmath>

#include "core/interpreter/complex_functions.h"
#include "core/interpreter/loops.h"

namespace bp::interpreter {
namespace {

using ir::Opcode;

template <class W>
W real_sign(W x) {
  return x > 0 ? W(1) : x < 0 ? W(-1) : x;  // NaN and both zeros are their own sign
}

template <class W>
Loop float_loop(Opcode opcode) {
  switch (opcode) {
    case Opcode::Abs: return loop_of_one<W, W, [](W x) { return std::fabs(x); }>;
    case Opcode::Negate: return loop_of_one<W, W, [](W x) { return -x; }>;
    case Opcode::Sign: return loop_of_one<W, W, real_sign<W>>;
    case Opcode::Ceil: return loop_of_one<W, W, [](W x) { return std::ceil(x); }>;
    case Opcode::Floor: return loop_of_one<W, W, [](W x) { return std::floor(x); }>;
    case Opcode::RoundNearestAfz: return loop_of_one<W, W, [](W x) { return std::round(x); }>;
    case Opcode::RoundNearestEven: return loop_of_one<W, W, [](W x) { return std::nearbyint(x); }>;
    case Opcode::Exponential: return computed_loop_of_one<W, [](auto x) { return std::exp(x); }>;
    case Opcode::ExponentialMinusOne: return computed_loop_of_one<W, [](auto x) { return std::expm1(x); }>;
    case Opcode::Log: return computed_loop_of_one<W, [](auto x) { return std::log(x); }>;
    case Opcode::LogPlusOne: return computed_loop_of_one<W, [](auto x) { return std::log1p(x); }>;
    case Opcode::Sqrt: return loop_of_one<W, W, [](W x) { return std::sqrt(x); }>;
    case Opcode::Rsqrt: return computed_loop_of_one<W, [](auto x) { return 1 / std::sqrt(x); }>;
    case Opcode::Cbrt: return computed_loop_of_one<W, [](auto x) { return std::cbrt(x); }>;
    case Opcode::Sine: return computed_loop_of_one<W, [](auto x) { return std::sin(x); }>;
    case Opcode::Cosine: return computed_loop_of_one<W, [](auto x) { return std::cos(x); }>;
    case Opcode::Tan: return computed_loop_of_one<W, [](auto x) { return std::tan(x); }>;
    case Opcode::Sinh: return computed_loop_of_one<W, [](auto x) { return std::sinh(x); }>;
    case Opcode::Cosh: return computed_loop_of_one<W, [](auto x) { return std::cosh(x); }>;
    case Opcode::Tanh: return computed_loop_of_one<W, [](auto x) { return std::tanh(x); }>;
    case Opcode::Asin: return computed_loop_of_one<W, [](auto x) { return std::asin(x); }>;
    case Opcode::Acos: return computed_loop_of_one<W, [](auto x) { return std::acos(x); }>;
    case Opcode::Atan: return computed_loop_of_one<W, [](auto x) { return std::atan(x); }>;
    case Opcode::Asinh: return computed_loop_of_one<W, [](auto x) { return std::asinh(x); }>;
    case Opcode::Acosh: return computed_loop_of_one<W, [](auto x) { return std::acosh(x); }>;
    case Opcode::Atanh: return computed_loop_of_one<W, [](auto x) { return std::atanh(x); }>;
    case Opcode::Erf: return computed_loop_of_one<W, [](auto x) { return std::erf(x); }>;
    case Opcode::Logistic: return computed_loop_of_one<W, [](auto x) { return 1 / (1 + std::exp(-x)); }>;
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

template <class W, Extended (*function)(Extended)>
constexpr Loop extended_loop =
    loop_of_one<W, W, [](W x) { return static_cast<W>(function(static_cast<Extended>(x))); }>;

Extended negate(Extended z) {
  return -z;
}
Extended sign(Extended z) {
  return z == Extended(0) ? z : z / std::abs(z);
}
Extended rsqrt(Extended z) {
  // The quotient would lose the signs of zeros on the real axis.
  if (z.imag() != 0 || z.real() == 0 || !std::isfinite(z.real())) {
    return 1.0L / std::sqrt(z);
  }
  const long double size = 1 / std::sqrt(std::abs(z.real()));
  return z.real() < 0 ? Extended(0, std::copysign(size, -z.imag())) : Extended(size, std::copysign(0.0L, -z.imag()));
}
template <Extended (*function)(const Extended &)>
Extended by_value(Extended z) {
  return function(z);
}

template <class W>
Loop complex_number_loop(Opcode opcode) {
  using R = typename W::value_type;
  switch (opcode) {
    case Opcode::Abs: return loop_of_one<W, R, [](W x) { return static_cast<R>(std::abs(static_cast<Extended>(x))); }>;
    case Opcode::Real: return loop_of_one<W, R, [](W x) { return x.real(); }>;
    case Opcode::Imag: return loop_of_one<W, R, [](W x) { return x.imag(); }>;
    case Opcode::Negate: return extended_loop<W, negate>;
    case Opcode::Sign: return extended_loop<W, sign>;
    case Opcode::Exponential: return extended_loop<W, by_value<std::exp>>;
    case Opcode::ExponentialMinusOne: return extended_loop<W, exponential_minus_one>;
    case Opcode::Log: return extended_loop<W, by_value<std::log>>;
    case Opcode::LogPlusOne: return extended_loop<W, log_plus_one>;
    case Opcode::Sqrt: return extended_loop<W, by_value<std::sqrt>>;
    case Opcode::Rsqrt: return extended_loop<W, rsqrt>;
    case Opcode::Sine: return extended_loop<W, by_value<std::sin>>;
    case Opcode::Cosine: return extended_loop<W, by_value<std::cos>>;
    case Opcode::Tan: return extended_loop<W, by_value<std::tan>>;
    case Opcode::Sinh: return extended_loop<W, by_value<std::sinh>>;
    case Opcode::Cosh: return extended_loop<W, by_value<std::cosh>>;
    case Opcode::Tanh: return extended_loop<W, by_value<std::tanh>>;
    case Opcode::Asin: return extended_loop<W, by_value<std::asin>>;
    case Opcode::Acos: return extended_loop<W, by_value<std::acos>>;
    case Opcode::Atan: return extended_loop<W, by_value<std::atan>>;
    case Opcode::Asinh: return extended_loop<W, by_value<std::asinh>>;
    case Opcode::Acosh: return extended_loop<W, by_value<std::acosh>>;
    case Opcode::Atanh: return extended_loop<W, by_value<std::atanh>>;
    case Opcode::Logistic: return extended_loop<W, logistic>;
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
