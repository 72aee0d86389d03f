// Loops that apply a formula, for the files with formulas. A formula is a captureless lambda; if it takes the
// parameters, they come last.
#pragma once

#include <bit>
#include <cmath>
#include <limits>

#include "core/interpreter/elementwise_function.h"

namespace bp::interpreter {

// Computes results R of one operand W: formula(x) or formula(x, parameters).
template <class W, class R, auto formula>
void loop_of_one(const void *const *operands, void *result, std::size_t count, const LoopParameters &parameters) {
  const W *x = static_cast<const W *>(operands[0]);
  R *out = static_cast<R *>(result);
  for (std::size_t i = 0; i < count; ++i) {
    if constexpr (std::is_invocable_v<decltype(formula), W, const LoopParameters &>) {
      out[i] = formula(x[i], parameters);
    } else {
      out[i] = formula(x[i]);
    }
  }
}

template <class W, class R, auto formula>
void loop_of_two(const void *const *operands, void *result, std::size_t count, const LoopParameters &parameters) {
  const W *x = static_cast<const W *>(operands[0]);
  const W *y = static_cast<const W *>(operands[1]);
  R *out = static_cast<R *>(result);
  for (std::size_t i = 0; i < count; ++i) {
    if constexpr (std::is_invocable_v<decltype(formula), W, W, const LoopParameters &>) {
      out[i] = formula(x[i], y[i], parameters);
    } else {
      out[i] = formula(x[i], y[i]);
    }
  }
}

// Functions are computed in a wider type and rounded once: functions of f32 in double, of f64 in the extended format.
template <class W>
using Wider = std::conditional_t<std::is_same_v<W, float>, double, long double>;
template <class W, auto function>
constexpr Loop computed_loop_of_one =
    loop_of_one<W, W, [](W x) { return static_cast<W>(function(static_cast<Wider<W>>(x))); }>;
template <class W, auto function>
constexpr Loop computed_loop_of_two = loop_of_two<W, W, [](W x, W y) {
  return static_cast<W>(function(static_cast<Wider<W>>(x), static_cast<Wider<W>>(y)));
}>;

// Returns the product. For complex numbers it is the textbook product: an infinite factor may give NaN, where C would
// recompute the product. Products of integers wrap around.
template <class W>
W multiply(W x, W y) {
  if constexpr (is_complex_number<W>) {
    return {x.real() * y.real() - x.imag() * y.imag(), x.real() * y.imag() + x.imag() * y.real()};
  } else if constexpr (std::is_integral_v<W>) {
    return static_cast<W>(static_cast<std::uint64_t>(x) * static_cast<std::uint64_t>(y));
  } else {
    return x * y;
  }
}

// NaN if either is NaN; for zeros of different sign, maximum() returns +0 and minimum() returns -0.
template <class W>
W maximum(W x, W y) {
  if constexpr (std::is_floating_point_v<W>) {
    if (x != x || y != y) {
      return x != x ? x : y;
    }
    if (x == y) {
      return std::signbit(x) ? y : x;
    }
  }
  return x < y ? y : x;
}
template <class W>
W minimum(W x, W y) {
  if constexpr (std::is_floating_point_v<W>) {
    if (x != x || y != y) {
      return x != x ? x : y;
    }
    if (x == y) {
      return std::signbit(x) ? x : y;
    }
  }
  return y < x ? y : x;
}

// Returns an integer that orders all values of an element type, floats by their bits: -NaN < -inf < ... < -0 < +0 < ...
// < inf < NaN, and NaNs by their payloads. The single NaN of formats without -0 has the bits of -0, and comes first, as
// in XLA.
template <class T>
auto total_order_key(T x) {
  if constexpr (is_narrow_float<T>) {
    constexpr ir::FloatFormat format = T::float_format;
    if constexpr (format.specials == ir::Specials::Scale) {
      return std::int64_t{x.bits};
    } else {
      constexpr std::int64_t sign = std::int64_t{1} << (format.width() - 1);
      const std::int64_t magnitude = x.bits & (sign - 1);
      const bool is_only_nan = format.specials == ir::Specials::UnsignedZero && x.bits == sign;
      return is_only_nan ? -1 - sign : (x.bits & sign) != 0 ? -1 - magnitude : magnitude;
    }
  } else if constexpr (std::is_floating_point_v<T>) {
    using Key = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
    const Key bits = std::bit_cast<Key>(x);
    return std::int64_t{bits < 0 ? static_cast<Key>(bits ^ std::numeric_limits<Key>::max()) : bits};
  } else {
    return widen<WideType<T>>(x);
  }
}

// Returns the lowest `bits` of a value, which are a narrow integer as an unsigned number.
inline std::uint64_t low_bits(std::uint64_t value, int bits) {
  return bits == 64 ? value : value & ((std::uint64_t{1} << bits) - 1);
}
// Returns the lowest `bits` as a signed number.
inline std::int64_t sign_extended(std::uint64_t value, int bits) {
  return static_cast<std::int64_t>(value << (64 - bits)) >> (64 - bits);
}

}  // namespace bp::interpreter
