// The formats of all floating element types, used to read and write NaNs with their payload.
#pragma once

#include "core/ir/narrow_float.h"

namespace bp::text {

template <class T>
struct FloatTraits;
template <>
struct FloatTraits<float> {
  using Bits = std::uint32_t;
  static constexpr ir::FloatFormat format{8, 23, 127, ir::Specials::Ieee};
};
template <>
struct FloatTraits<double> {
  using Bits = std::uint64_t;
  static constexpr ir::FloatFormat format{11, 52, 1023, ir::Specials::Ieee};
};
template <ir::FloatFormat narrow_format>
struct FloatTraits<ir::NarrowFloat<narrow_format>> {
  using Bits = typename ir::NarrowFloat<narrow_format>::Bits;
  static constexpr ir::FloatFormat format = narrow_format;
};

// Payload of the NaN that is written as plain `nan`: only the highest bit of the mantissa is set.
constexpr std::uint64_t quiet_payload(ir::FloatFormat format) {
  return std::uint64_t{1} << (format.mantissa_bits == 0 ? 0 : format.mantissa_bits - 1);
}

}  // namespace bp::text
