#include "core/ir/float_spacing.h"

#include <limits>

#include "core/ir/literal.h"

namespace bp::ir {

Spacing spacing_of(ElementType type) {
  return visit_element_type(type, []<class T>() -> Spacing {
    if constexpr (requires { T::float_format; }) {
      constexpr FloatFormat format = T::float_format;
      constexpr int min_exponent = (format.specials == Specials::Scale ? 0 : 1) - format.bias;
      return {format.mantissa_bits, min_exponent - format.mantissa_bits};
    } else if constexpr (std::is_floating_point_v<T>) {
      return {std::numeric_limits<T>::digits - 1,
              std::numeric_limits<T>::min_exponent - std::numeric_limits<T>::digits};
    } else {
      return {std::numeric_limits<std::int16_t>::max(), 0};
    }
  });
}

}  // namespace bp::ir
