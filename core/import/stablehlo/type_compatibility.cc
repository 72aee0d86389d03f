#include "core/import/stablehlo/type_compatibility.h"

#include <algorithm>

namespace bp::import::stablehlo {

ir::ElementType expressed_type(const Type &type) {
  return type.quantization != nullptr ? type.quantization->expressed : type.shape.element_type();
}

bool have_equal_elements(const Type &a, const Type &b) {
  return a.shape.element_type() == b.shape.element_type() &&
         (a.quantization == b.quantization ||
          (a.quantization != nullptr && b.quantization != nullptr && *a.quantization == *b.quantization));
}

bool have_compatible_elements(const Type &a, const Type &b) {
  if ((a.quantization == nullptr) != (b.quantization == nullptr)) {
    return false;
  }
  if (a.quantization != nullptr &&
      ((a.quantization->dimension < 0) != (b.quantization->dimension < 0) ||
       a.shape.element_type() != b.shape.element_type() || a.quantization->storage_min != b.quantization->storage_min ||
       a.quantization->storage_max != b.quantization->storage_max)) {
    return false;
  }
  return expressed_type(a) == expressed_type(b);
}

bool have_compatible_sizes(const ir::Shape &a, const ir::Shape &b) {
  if (a.rank() != b.rank()) {
    return false;
  }
  for (std::size_t i = 0; i < a.rank(); ++i) {
    const std::int64_t x = a.size(i), y = b.size(i);
    const bool is_one_unknown = x == ir::unbounded || y == ir::unbounded || (a.is_dynamic(i) && b.is_dynamic(i));
    const bool fits = a.is_dynamic(i) ? y <= x : b.is_dynamic(i) ? x <= y : x == y;
    if (!is_one_unknown && !fits) {
      return false;
    }
  }
  return true;
}

bool are_compatible(const Type &a, const Type &b) {
  if (!a.shape.is_array() || !b.shape.is_array()) {
    const auto parts = a.shape.elements(), others = b.shape.elements();
    return a.shape.element_type() == b.shape.element_type() &&
           std::ranges::equal(parts, others,
                              [](const ir::Shape &x, const ir::Shape &y) { return are_compatible(Type{x}, Type{y}); });
  }
  return have_compatible_sizes(a.shape, b.shape) && have_compatible_elements(a, b);
}

}  // namespace bp::import::stablehlo
