#include "core/import/array/support.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

namespace bp::import::array {

GraphBuilder *builder_of(std::initializer_list<Array> arrays) {
  for (const Array &array : arrays) {
    if (array.is_present()) {
      return &array.builder();
    }
  }
  return nullptr;
}

Integers dimensions_from(std::int64_t first, std::size_t count) {
  Integers dimensions(count);
  std::iota(dimensions.begin(), dimensions.end(), first);
  return dimensions;
}

std::string to_string(Span sizes) {
  return fmt::format("[{}]", fmt::join(sizes, ","));
}

bool check_sizes(GraphBuilder &builder, Span sizes) {
  if (sizes.size() > ir::max_rank) {
    builder.fail("an array has {} dimensions, expected at most {}", sizes.size(), ir::max_rank);
    return false;
  }
  if (std::ranges::any_of(sizes, [](std::int64_t size) { return size < 0; })) {
    builder.fail("an array has sizes {}, expected at least 0", to_string(sizes));
    return false;
  }
  return true;
}

}  // namespace bp::import::array
