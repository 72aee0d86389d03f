#include "core/ir/narrow_float.h"

namespace bp::ir {
namespace {

constexpr std::uint32_t ones(int count) {
  return (std::uint32_t{1} << count) - 1;
}

// Returns the code of the largest finite value, without a sign.
std::uint32_t largest(FloatFormat format) {
  std::uint32_t all = ones(format.exponent_bits + format.mantissa_bits);
  switch (format.specials) {
    case Specials::Ieee: return all - (std::uint32_t{1} << format.mantissa_bits);
    case Specials::FiniteNan:
    case Specials::Scale: return all - 1;
    case Specials::Finite:
    case Specials::UnsignedZero: return all;
  }
  return all;
}

std::uint32_t nan_code(FloatFormat format, bool negative) {
  std::uint32_t sign = std::uint32_t{1} << (format.exponent_bits + format.mantissa_bits);
  std::uint32_t all = ones(format.exponent_bits + format.mantissa_bits);
  switch (format.specials) {
    case Specials::Ieee: {
      std::uint32_t quiet = std::uint32_t{1} << (format.mantissa_bits - 1);
      std::uint32_t exponent = ones(format.exponent_bits) << format.mantissa_bits;
      return (negative ? sign : 0) | exponent | quiet;
    }
    case Specials::FiniteNan: return (negative ? sign : 0) | all;
    case Specials::Scale: return all;
    case Specials::Finite: return sign;
    case Specials::UnsignedZero: return sign;
  }
  return all;
}

std::uint32_t overflow_code(FloatFormat format, bool negative) {
  std::uint32_t sign = std::uint32_t{1} << (format.exponent_bits + format.mantissa_bits);
  switch (format.specials) {
    case Specials::Ieee: return (negative ? sign : 0) | (ones(format.exponent_bits) << format.mantissa_bits);
    case Specials::Finite: return (negative ? sign : 0) | largest(format);
    default: return nan_code(format, negative);
  }
}

}  // namespace

std::uint32_t encode(FloatFormat format, double value) {
  std::uint64_t bits = std::bit_cast<std::uint64_t>(value);
  bool negative = (bits >> 63) != 0;
  std::uint32_t sign = static_cast<std::uint32_t>(bits >> 63) << (format.exponent_bits + format.mantissa_bits);
  if (std::isnan(value)) {
    return nan_code(format, negative);
  }
  if (format.specials == Specials::Scale) {
    // Powers of two only: ties round up, and values that are not positive and finite have no code.
    if (negative || value == 0 || std::isinf(value)) {
      return nan_code(format, false);
    }
    int exponent;
    double mantissa = std::frexp(value, &exponent);  // value = mantissa * 2^exponent, mantissa in [0.5, 1)
    int code = exponent - 1 + format.bias + (mantissa >= 0.75 ? 1 : 0);
    return code > static_cast<int>(largest(format)) ? nan_code(format, false)
                                                    : static_cast<std::uint32_t>(std::max(code, 0));
  }
  if (std::isinf(value)) {
    return overflow_code(format, negative);
  }
  double magnitude = std::fabs(value);
  if (magnitude == 0) {
    return format.specials == Specials::UnsignedZero ? 0 : sign;
  }
  // value = significand * 2^(exponent - 52). Subnormal doubles do not fit this, but are far below half of the smallest
  // code.
  constexpr int own_mantissa = std::numeric_limits<double>::digits - 1;
  int exponent = static_cast<int>(bits << 1 >> (own_mantissa + 1)) + 1 - std::numeric_limits<double>::max_exponent;
  std::uint64_t significand = (bits & ((std::uint64_t{1} << own_mantissa) - 1)) | std::uint64_t{1} << own_mantissa;
  int minimum = 1 - format.bias;
  // Rounds off the bits below the last mantissa bit, ties to even; a carry propagates into the exponent below.
  int dropped = own_mantissa - format.mantissa_bits + std::max(minimum - exponent, 0);
  std::uint64_t mantissa = 0;
  if (dropped <= own_mantissa + 1) {
    std::uint64_t odd = significand >> dropped & 1;
    mantissa = (significand + (std::uint64_t{1} << (dropped - 1)) - 1 + odd) >> dropped;
  }
  std::uint64_t code =
      exponent < minimum ? mantissa
                         : (static_cast<std::uint64_t>(exponent + format.bias - 1) << format.mantissa_bits) + mantissa;
  if (code > largest(format)) {
    return overflow_code(format, negative);
  }
  if (code == 0 && format.specials == Specials::UnsignedZero) {
    return 0;
  }
  return sign | static_cast<std::uint32_t>(code);
}

double decode(FloatFormat format, std::uint32_t code) {
  std::uint32_t magnitude_bits = ones(format.exponent_bits + format.mantissa_bits);
  bool negative = (code & ~magnitude_bits) != 0;
  std::uint32_t magnitude = code & magnitude_bits;
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  if (format.specials == Specials::Scale) {
    return magnitude == magnitude_bits ? nan : std::ldexp(1.0, static_cast<int>(magnitude) - format.bias);
  }
  if (format.specials == Specials::UnsignedZero && negative && magnitude == 0) {
    return -nan;
  }
  if (magnitude > largest(format)) {
    bool infinite = format.specials == Specials::Ieee && magnitude == largest(format) + 1;
    double special = infinite ? std::numeric_limits<double>::infinity() : nan;
    return negative ? -special : special;
  }
  auto exponent = static_cast<int>(magnitude >> format.mantissa_bits);
  std::uint32_t mantissa = magnitude & ones(format.mantissa_bits);
  double value = exponent == 0 ? std::ldexp(mantissa, 1 - format.bias - format.mantissa_bits)
                               : std::ldexp(mantissa + (std::uint32_t{1} << format.mantissa_bits),
                                            exponent - format.bias - format.mantissa_bits);
  return negative ? -value : value;
}

}  // namespace bp::ir
