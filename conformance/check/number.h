// Array elements: the kind of number each C++ element type is, and how messages print one.
#pragma once

#include <fmt/format.h>

#include <cstdint>
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
