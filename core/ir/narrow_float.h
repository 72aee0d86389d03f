// Floating-point types narrower than 32 bits, each derived from a description of its format. A NarrowFloat holds the
// bits; arithmetic is done in float or double and rounded back. Semantics are those of XLA's element types of the same
// names.
#pragma once

#include <bit>
#include <cmath>
#include <compare>
#include <cstdint>
#include <limits>

namespace bp::ir {

// Special values of a format.
enum class Specials : std::uint8_t {
  Ieee,          // all-ones exponent: infinities and NaNs
  FiniteNan,     // FN: no infinity; only the all-ones code (of either sign) is NaN
  Finite,        // FN of 4 and 6 bits: neither infinity nor NaN
  UnsignedZero,  // FNUZ: no infinity, no -0; the code of -0 is the only NaN
  Scale,         // E8M0: unsigned powers of two; all-ones is NaN; no zero
};

struct FloatFormat {
  int exponent_bits;
  int mantissa_bits;
  int bias;
  Specials specials;
  constexpr int width() const { return (specials == Specials::Scale ? 0 : 1) + exponent_bits + mantissa_bits; }
};

// Returns the code in `format` nearest to `value`, ties to even. Overflow gives infinity if the format has it,
// otherwise NaN, otherwise the largest finite value. NaN in a format without NaN gives -0 (as in XLA).
std::uint32_t encode(FloatFormat format, double value);
double decode(FloatFormat format, std::uint32_t code);

template <FloatFormat format>
struct NarrowFloat {
  using Bits = std::conditional_t<(format.width() > 8), std::uint16_t, std::uint8_t>;
  static constexpr FloatFormat float_format = format;
  Bits bits = 0;

  NarrowFloat() = default;
  explicit NarrowFloat(double value) : bits(static_cast<Bits>(encode(format, value))) {}
  explicit NarrowFloat(float value) : NarrowFloat(static_cast<double>(value)) {}
  static NarrowFloat from_bits(Bits bits) {
    NarrowFloat result;
    result.bits = bits;
    return result;
  }
  explicit operator double() const { return decode(format, bits); }
  explicit operator float() const { return static_cast<float>(decode(format, bits)); }
};

using F16 = NarrowFloat<FloatFormat{5, 10, 15, Specials::Ieee}>;
using BF16 = NarrowFloat<FloatFormat{8, 7, 127, Specials::Ieee}>;
using F8E5M2 = NarrowFloat<FloatFormat{5, 2, 15, Specials::Ieee}>;
using F8E4M3 = NarrowFloat<FloatFormat{4, 3, 7, Specials::Ieee}>;
using F8E3M4 = NarrowFloat<FloatFormat{3, 4, 3, Specials::Ieee}>;
using F8E4M3FN = NarrowFloat<FloatFormat{4, 3, 7, Specials::FiniteNan}>;
using F8E4M3B11FNUZ = NarrowFloat<FloatFormat{4, 3, 11, Specials::UnsignedZero}>;
using F8E4M3FNUZ = NarrowFloat<FloatFormat{4, 3, 8, Specials::UnsignedZero}>;
using F8E5M2FNUZ = NarrowFloat<FloatFormat{5, 2, 16, Specials::UnsignedZero}>;
using F8E8M0FNU = NarrowFloat<FloatFormat{8, 0, 127, Specials::Scale}>;
using F6E3M2FN = NarrowFloat<FloatFormat{3, 2, 3, Specials::Finite}>;
using F6E2M3FN = NarrowFloat<FloatFormat{2, 3, 1, Specials::Finite}>;
using F4E2M1FN = NarrowFloat<FloatFormat{2, 1, 1, Specials::Finite}>;

// The two most frequent types convert by operating directly on the bits of a float.
template <>
inline BF16::operator float() const {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}
template <>
inline BF16::NarrowFloat(float value) {
  std::uint32_t code = std::bit_cast<std::uint32_t>(value);
  if ((code & 0x7fffffff) > 0x7f800000) {
    bits = static_cast<std::uint16_t>((code >> 16) | 0x40);  // a quiet NaN with the payload kept
  } else {
    bits = static_cast<std::uint16_t>((code + 0x7fff + ((code >> 16) & 1)) >> 16);
  }
}

}  // namespace bp::ir
