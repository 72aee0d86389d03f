// Elements of arguments on which sizes may depend.
#pragma once

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "core/ir/literal.h"

namespace bp::import {

// Returns the elements of an array of integers or truth values (0 and 1), if there are few enough of them to be sizes.
inline std::optional<std::vector<std::int64_t>> size_integers(const ir::Literal &literal) {
  constexpr std::int64_t max_count = 64;  // as many as a shape has sizes
  const ir::Shape &shape = literal.shape();
  std::optional<std::vector<std::int64_t>> integers;
  if (!shape.is_array() || !(ir::is_integer(shape.element_type()) || shape.element_type() == ir::ElementType::Pred) ||
      shape.element_count() > max_count) {
    return integers;
  }
  ir::visit_element_type(shape.element_type(), [&]<class T>() {
    if constexpr (std::is_same_v<T, bool>) {
      const auto elements = literal.elements<T>();
      integers.emplace(elements.begin(), elements.end());
    } else if constexpr (std::is_integral_v<T>) {
      const auto elements = literal.elements<T>();
      if (std::ranges::all_of(elements, [](T x) { return std::in_range<std::int64_t>(x); })) {
        integers.emplace(elements.begin(), elements.end());
      }
    }
  });
  return integers;
}

}  // namespace bp::import
