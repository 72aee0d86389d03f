// Conversions between the wide types, and rounding to a smaller float format.
#include <bit>
#include <cmath>
#include <limits>

#include "core/interpreter/loops.h"

namespace bp::interpreter {
namespace {

using ir::ElementType;

// Truncates, and saturates at the range of an integer of `bits` bits; NaN gives 0.
template <class Integer, class Real>
Integer saturated(Real x, int bits) {
  if (std::isnan(x)) {
    return 0;
  }
  // Powers of two are exact in every float type that can reach them.
  Real limit = std::ldexp(Real(1), std::is_signed_v<Integer> ? bits - 1 : bits);
  Integer highest = std::is_signed_v<Integer> ? static_cast<Integer>(low_bits(~std::uint64_t{0}, bits - 1))
                                              : static_cast<Integer>(low_bits(~std::uint64_t{0}, bits));
  if (x >= limit) {
    return highest;
  }
  Real lowest = std::is_signed_v<Integer> ? -limit : Real(0);
  if (x <= lowest) {
    return std::is_signed_v<Integer> ? static_cast<Integer>(-highest - 1) : Integer(0);
  }
  return static_cast<Integer>(x);
}

template <class From, class To>
To converted(From x, const LoopParameters &parameters) {
  if constexpr (is_complex_number<From> && is_complex_number<To>) {
    return static_cast<To>(x);
  } else if constexpr (is_complex_number<From>) {
    return converted<typename From::value_type, To>(x.real(), parameters);
  } else if constexpr (is_complex_number<To>) {
    return To(static_cast<typename To::value_type>(x));
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    return saturated<To>(x, parameters.bits);
  } else {
    return static_cast<To>(x);
  }
}

// Converts to double. Integers of more than 53 bits are truncated and their last bit is set, so that rounding to a
// smaller format afterwards gives the same as rounding directly.
template <class Integer>
double rounded_to_odd(Integer x) {
  constexpr int extra = std::numeric_limits<std::uint64_t>::digits - std::numeric_limits<double>::digits;
  const bool is_negative = x < Integer(0);
  auto magnitude = is_negative ? 0 - static_cast<std::uint64_t>(x) : static_cast<std::uint64_t>(x);
  if (magnitude >> std::numeric_limits<double>::digits != 0) {
    const bool is_exact = low_bits(magnitude, extra) == 0;
    magnitude = (magnitude >> extra | (is_exact ? 0U : 1U)) << extra;
  }
  const auto result = static_cast<double>(magnitude);
  return is_negative ? -result : result;
}

// Rounds the mantissa, also of subnormals, to `mantissa_bits`, ties to even; then values too large for `exponent_bits`
// become infinity, and values smaller than its normal numbers become zero. Works on the bits of Format, which can
// represent every x that occurs.
template <class W, class Format>
W reduced_precision(W x, const LoopParameters &parameters) {
  if (!std::isfinite(x)) {
    return x;  // NaN too, even for formats without mantissa, as in XLA:CPU
  }
  using Bits = std::conditional_t<sizeof(Format) == 2, std::uint16_t,
                                  std::conditional_t<sizeof(Format) == 4, std::uint32_t, std::uint64_t>>;
  constexpr int own_mantissa = sizeof(Format) == 2 ? 10 : std::numeric_limits<W>::digits - 1;
  constexpr int own_exponent = static_cast<int>(sizeof(Format)) * 8 - 1 - own_mantissa;
  constexpr Bits sign_bit = Bits(Bits(1) << (own_exponent + own_mantissa));
  constexpr Bits infinity = Bits(((Bits(1) << own_exponent) - 1) << own_mantissa);
  Bits bits = std::bit_cast<Bits>(static_cast<Format>(x));
  if (parameters.mantissa_bits < own_mantissa) {
    const int dropped = own_mantissa - static_cast<int>(parameters.mantissa_bits);
    const Bits last_kept = (bits >> dropped) & 1;
    bits =
        static_cast<Bits>(static_cast<Bits>(bits + ((Bits(1) << (dropped - 1)) - 1) + last_kept) >> dropped << dropped);
  }
  if (parameters.exponent_bits < own_exponent) {
    const int own_bias = (1 << (own_exponent - 1)) - 1, bias = (1 << (parameters.exponent_bits - 1)) - 1;
    const int exponent = static_cast<int>((bits & infinity) >> own_mantissa) - own_bias;
    if (exponent > bias || exponent <= -bias) {
      bits = static_cast<Bits>((bits & sign_bit) | (exponent > bias ? infinity : Bits(0)));
    }
  }
  return static_cast<W>(std::bit_cast<Format>(bits));
}

}  // namespace

Loop convert_loop(Wide from, Wide to, bool to_pred) {
  return visit_wide(from, [&]<class From>() -> Loop {
    if (to_pred) {
      return loop_of_one<From, bool, [](From x) { return x != From(0); }>;
    }
    return visit_wide(to, []<class To>() -> Loop { return loop_of_one<From, To, converted<From, To>>; });
  });
}

Loop convert_to_odd_loop(Wide from) {
  return from == Wide::Signed ? Loop(loop_of_one<std::int64_t, double, rounded_to_odd<std::int64_t>>)
                              : Loop(loop_of_one<std::uint64_t, double, rounded_to_odd<std::uint64_t>>);
}

Loop reduce_precision_loop(ElementType type) {
  switch (type) {
    case ElementType::F64: return loop_of_one<double, double, reduced_precision<double, double>>;
    case ElementType::F32:
    case ElementType::BF16:
    case ElementType::F8E8M0FNU: return loop_of_one<float, float, reduced_precision<float, float>>;
    default: return loop_of_one<float, float, reduced_precision<float, ir::F16>>;
  }
}

}  // namespace bp::interpreter
