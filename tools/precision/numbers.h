// Array elements as numbers: their bits, the distance between two of them, and conversion from double.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <type_traits>

#include "core/ir/literal.h"

namespace bp::precision {

template <class T>
constexpr bool is_narrow_float = requires { T::float_format; };
template <class T>
constexpr bool is_narrow_integer = requires { typename T::Storage; };
template <class T>
constexpr bool is_float = std::is_floating_point_v<T> || is_narrow_float<T>;
template <class T>
constexpr bool is_integer = std::is_integral_v<T> || is_narrow_integer<T>;  // including bool

template <class T>
auto bits_of(T x) {
  if constexpr (is_narrow_float<T>) {
    return x.bits;
  } else if constexpr (is_narrow_integer<T>) {
    return static_cast<std::uint8_t>(x.value);
  } else if constexpr (std::is_same_v<T, bool>) {
    return static_cast<std::uint8_t>(x);
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<std::make_unsigned_t<T>>(x);
  } else {
    return std::bit_cast<std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>>(x);
  }
}

template <class T>
T from_bits(std::uint64_t bits) {
  if constexpr (is_narrow_float<T>) {
    return T::from_bits(static_cast<typename T::Bits>(bits));
  } else if constexpr (is_integer<T>) {
    return static_cast<T>(static_cast<std::int64_t>(bits));
  } else {
    return std::bit_cast<T>(static_cast<decltype(bits_of(T()))>(bits));
  }
}

template <class T>
double as_double(T x) {
  if constexpr (is_narrow_integer<T>) {
    return x.value;
  } else {
    return static_cast<double>(x);
  }
}

// Width in bits of an integer type.
template <class T>
constexpr int width_of() {
  if constexpr (is_narrow_integer<T>) {
    return T::bits;
  } else {
    return static_cast<int>(sizeof(T)) * 8;
  }
}
template <class T>
constexpr bool is_signed() {
  if constexpr (is_narrow_integer<T>) {
    return T::is_signed;
  } else {
    return std::is_signed_v<T>;
  }
}

// Returns the number of representable values from one number to the other. Both zeros count as one value.
template <class T>
std::int64_t distance(T x, T y) {
  if constexpr (is_integer<T>) {
    const double difference = std::fabs(as_double(x) - as_double(y));
    return bits_of(x) == bits_of(y) ? 0 : static_cast<std::int64_t>(std::clamp(difference, 1.0, 0x1p62));
  } else {
    int sign_bit = static_cast<int>(sizeof(T)) * 8 - 1;
    if constexpr (is_narrow_float<T>) {
      constexpr ir::FloatFormat format = T::float_format;
      sign_bit = format.specials == ir::Specials::Scale ? 8 : format.width() - 1;
    }
    const std::uint64_t sign = std::uint64_t{1} << sign_bit;
    const auto rank = [&](T number) {
      const std::uint64_t bits = bits_of(number);
      const auto magnitude = static_cast<std::int64_t>(bits & (sign - 1));
      return (bits & sign) != 0 ? -magnitude : magnitude;
    };
    return std::abs(rank(x) - rank(y));
  }
}

// Converts as HLO's `convert` does. A float is the nearest; an integer is truncated and clamped to the range of the
// type, or 0 for NaN; a truth value is false only for zero.
template <class To>
To converted(double x) {
  if constexpr (is_float<To>) {
    return To(x);
  } else if constexpr (std::is_same_v<To, bool>) {
    return x != 0;
  } else {
    constexpr int width = width_of<To>();
    constexpr std::uint64_t top_bit = std::uint64_t{1} << (width - 1);
    const double limit = std::ldexp(1.0, is_signed<To>() ? width - 1 : width);
    if (x >= limit) {
      return from_bits<To>(is_signed<To>() ? top_bit - 1 : ~std::uint64_t{0});
    }
    if (x <= (is_signed<To>() ? -limit : 0)) {
      return from_bits<To>(is_signed<To>() ? top_bit : 0);
    }
    return std::isnan(x) ? To()
                         : from_bits<To>(is_signed<To>() ? static_cast<std::uint64_t>(static_cast<std::int64_t>(x))
                                                         : static_cast<std::uint64_t>(x));
  }
}

// Calls visitor.template operator()<T>() if the type is a real number; otherwise does nothing.
template <class Visitor>
void visit_real(ir::ElementType type, Visitor &&visitor) {
  ir::visit_element_type(type, [&]<class T>() {
    if constexpr (is_float<T> || is_integer<T>) {
      visitor.template operator()<T>();
    }
  });
}

}  // namespace bp::precision
