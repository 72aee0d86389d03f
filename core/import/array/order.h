// Elements of arrays by their order.
#pragma once

#include "core/import/array/array.h"

namespace bp::import::array {

struct TopElements {
  Array values, indices;  // indices: s32
};

// Returns the k largest or smallest elements along a dimension, in order, and their indices in it. Of equal elements,
// those of lower indices come first. `k`: at most the size of the dimension. The results have the bounds of x as sizes:
// elements that exist only within the bounds come last.
TopElements top_k(const Array &x, std::int64_t dimension, std::int64_t k, bool is_largest);

}  // namespace bp::import::array
