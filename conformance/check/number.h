// Array elements: the kind of number each C++ element type is, and how messages print one.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>

#include "core/interpreter/wide.h"

namespace bp::conformance {

using interpreter::is_narrow_float;
using interpreter::is_narrow_int;
template <class T>
inline constexpr bool is_complex = interpreter::is_complex_number<T>;
template <class T>
inline constexpr bool is_float = std::is_floating_point_v<T> || is_narrow_float<T>;

// Returns the largest p, up to `most`, for which the type has both 2^p and 2^-p.
template <class T>
int exact_powers(int most) {
  if constexpr (is_complex<T>) {
    return exact_powers<typename T::value_type>(most);
  } else {
    int count = 0;
    const auto has = [](double power) { return static_cast<double>(T(power)) == power; };
    for (double power = 2; count < most && has(power) && has(1 / power); power *= 2) {
      ++count;
    }
    return count;
  }
}

// Returns the bits, where the numbers alone do not show why they differ: "0x7fc00000", two for a complex number.
template <class T>
std::string print_bits(T x) {
  if constexpr (is_complex<T>) {
    return fmt::format("({}, {})", print_bits(x.real()), print_bits(x.imag()));
  } else {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &x, std::min(sizeof(x), sizeof(bits)));  // x86-64 and AArch64 store the low byte first
    return fmt::format("{:#0{}x}", bits, 2 + 2 * sizeof(x));
  }
}
template <class T>
bool has_nan(T x) {
  if constexpr (is_complex<T>) {
    return has_nan(x.real()) || has_nan(x.imag());
  } else if constexpr (is_float<T>) {
    return std::isnan(static_cast<double>(x));
  } else {
    return false;
  }
}

template <class T>
std::string print(T x) {
  if constexpr (is_complex<T>) {
    return fmt::format("({}, {})", x.real(), x.imag());
  } else if constexpr (is_narrow_float<T>) {
    return fmt::format("{}", static_cast<double>(x));
  } else if constexpr (is_narrow_int<T>) {
    return fmt::format("{}", static_cast<std::int64_t>(x));
  } else {
    return fmt::format("{}", x);
  }
}

}  // namespace bp::conformance
