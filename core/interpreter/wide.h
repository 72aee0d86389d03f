// Wide types: the few types in which arithmetic is done. A value of a narrow type is widened exactly, and the result is
// narrowed by rounding once (floats) or by keeping the low bits (integers).
#pragma once

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "core/ir/literal.h"

namespace bp::interpreter {

__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 UInt128;

// Signed: int64, Unsigned (and pred): uint64, Float: float, Double, ComplexFloat, ComplexDouble.
enum class Wide : std::uint8_t { Signed, Unsigned, Float, Double, ComplexFloat, ComplexDouble };

template <class T>
inline constexpr bool is_narrow_float = requires { T::float_format; };
template <class T>
inline constexpr bool is_narrow_int = requires { typename T::Storage; };
template <class T>
inline constexpr bool is_complex_number = requires(T x) { x.imag(); };

namespace detail {
template <class T>
constexpr auto wide_type() {
  if constexpr (is_narrow_float<T>) {
    return float();
  } else if constexpr (is_narrow_int<T>) {
    return std::conditional_t<T::is_signed, std::int64_t, std::uint64_t>();
  } else if constexpr (std::is_integral_v<T>) {
    return std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>();
  } else {
    return T();
  }
}
template <class W>
constexpr auto sum_type() {
  if constexpr (std::is_same_v<W, float>) {
    return double();
  } else if constexpr (std::is_same_v<W, std::complex<float>>) {
    return std::complex<double>();
  } else {
    return W();
  }
}
}  // namespace detail

// Wide type of T, which is an element type of ir::visit_element_type.
template <class T>
using WideType = decltype(detail::wide_type<T>());
// Type in which many values of T are summed: double for all floats.
template <class T>
using SumType = decltype(detail::sum_type<WideType<T>>());

inline Wide wide_of(ir::ElementType type) {
  switch (ir::info(type).type_class) {
    case ir::TypeClass::Signed: return Wide::Signed;
    case ir::TypeClass::Float: return type == ir::ElementType::F64 ? Wide::Double : Wide::Float;
    case ir::TypeClass::Complex: return type == ir::ElementType::C128 ? Wide::ComplexDouble : Wide::ComplexFloat;
    default: return Wide::Unsigned;
  }
}
inline Wide sum_of(ir::ElementType type) {
  Wide wide = wide_of(type);
  return wide == Wide::Float ? Wide::Double : wide == Wide::ComplexFloat ? Wide::ComplexDouble : wide;
}

template <class Visitor>
decltype(auto) visit_wide(Wide wide, Visitor &&visitor) {
  switch (wide) {
    case Wide::Signed: return visitor.template operator()<std::int64_t>();
    case Wide::Unsigned: return visitor.template operator()<std::uint64_t>();
    case Wide::Float: return visitor.template operator()<float>();
    case Wide::Double: return visitor.template operator()<double>();
    case Wide::ComplexFloat: return visitor.template operator()<std::complex<float>>();
    case Wide::ComplexDouble: break;
  }
  return visitor.template operator()<std::complex<double>>();
}

// Visits sum_of() an element type.
template <class Visitor>
decltype(auto) visit_sum(ir::ElementType type, Visitor &&visitor) {
  switch (sum_of(type)) {
    case Wide::Signed: return visitor.template operator()<std::int64_t>();
    case Wide::Unsigned: return visitor.template operator()<std::uint64_t>();
    case Wide::Double: return visitor.template operator()<double>();
    default: break;
  }
  return visitor.template operator()<std::complex<double>>();
}

// Converts to a type that can represent every T, or to a complex type.
template <class W, class T>
inline W widen(T value) {
  if constexpr (is_narrow_int<T>) {
    return static_cast<W>(static_cast<std::int64_t>(value));
  } else if constexpr (is_narrow_float<T>) {
    if constexpr (is_complex_number<W>) {
      return W(static_cast<typename W::value_type>(static_cast<float>(value)));
    } else {
      return static_cast<W>(static_cast<float>(value));
    }
  } else if constexpr (is_complex_number<W> && !is_complex_number<T>) {
    return W(static_cast<typename W::value_type>(value));
  } else {
    return static_cast<W>(value);
  }
}

// Converts to a narrower type: integers keep their low bits; floats are rounded to nearest, ties to even; pred is
// whether the value is not 0.
template <class T, class W>
inline T narrow(W value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value != W(0);
  } else if constexpr (is_narrow_int<T>) {
    return T(static_cast<std::int64_t>(value));
  } else {
    return T(value);
  }
}

// Conversion loop over untyped memory. A nullptr means that the two types are the same, so that there is nothing to do.
using ConvertLoop = void (*)(const void *from, void *to, std::size_t count);
// Converts from elements of `type` to its wide_of() or sum_of() type, which must be `wide`.
ConvertLoop widening_loop(ir::ElementType type, Wide wide);
// Converts from any wide type of the same class (integer, float, complex) to elements of `type`.
ConvertLoop narrowing_loop(Wide wide, ir::ElementType type);

// Writes sums as elements of `type`, whose sum_of() is Sum.
template <class Sum>
void store_sums(std::span<const Sum> sums, ir::ElementType type, std::byte *to) {
  if (ConvertLoop narrow = narrowing_loop(sum_of(type), type)) {
    narrow(sums.data(), to, sums.size());
  } else {
    std::ranges::copy(std::as_bytes(sums), to);
  }
}

}  // namespace bp::interpreter
