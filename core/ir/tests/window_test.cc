#include "core/ir/window.h"

#include <catch2/catch.hpp>

#include <random>
#include <vector>

using bp::ir::clipped;
using bp::ir::WindowDimension;

namespace {

std::int64_t extent(const WindowDimension &window) {
  return (window.size - 1) * window.rhs_dilate + 1;
}

std::int64_t output_size(const WindowDimension &window, std::int64_t elements) {
  const std::int64_t padded =
      (elements == 0 ? 0 : (elements - 1) * window.lhs_dilate + 1) + window.pad_low + window.pad_high;
  return padded <= 0 || extent(window) > padded ? 0 : (padded - extent(window)) / window.stride + 1;
}

// Returns the elements that the window of output o covers, in the order in which they are combined.
std::vector<std::int64_t> elements_under(const WindowDimension &window, std::int64_t elements, std::int64_t o) {
  std::vector<std::int64_t> found;
  for (std::int64_t i = 0; i < window.size; ++i) {
    const std::int64_t position = window.reversal != 0 ? window.size - 1 - i : i;
    const std::int64_t at = o * window.stride + position * window.rhs_dilate - window.pad_low;
    if (at >= 0 && at % window.lhs_dilate == 0 && at / window.lhs_dilate < elements) {
      found.push_back(at / window.lhs_dilate);
    }
  }
  return found;
}

}  // namespace

TEST_CASE("clipped windows meet the same elements in the same order", "[window]") {
  std::mt19937 random(1);
  const auto below = [&](std::int64_t n) { return static_cast<std::int64_t>(random() % static_cast<unsigned>(n)); };
  int changed = 0;
  for (int trial = 0; trial < 200000; ++trial) {
    WindowDimension window{.size = 1 + below(12),
                           .stride = 1 + below(below(2) == 0 ? 4 : 20),
                           .pad_low = below(40) - 12,
                           .pad_high = below(40) - 12,
                           .lhs_dilate = 1 + below(4),
                           .rhs_dilate = 1 + below(below(2) == 0 ? 4 : 12),
                           .reversal = below(2)};
    const std::int64_t elements = below(7), outputs = output_size(window, elements);
    if (outputs == 0) {
      continue;
    }
    const WindowDimension result = clipped(window, elements, outputs);
    CAPTURE(elements, window.size, window.stride, window.pad_low, window.pad_high, window.lhs_dilate, window.rhs_dilate,
            window.reversal);
    REQUIRE(output_size(result, elements) == outputs);
    for (std::int64_t o = 0; o < outputs; ++o) {
      REQUIRE(elements_under(result, elements, o) == elements_under(window, elements, o));
    }
    REQUIRE(result.size <= window.size);
    REQUIRE(result.stride <= window.stride);
    changed += result == window ? 0 : 1;
  }
  CHECK(changed > 1000);
}

TEST_CASE("clipped windows of any size are small where the arrays are", "[window]") {
  constexpr std::int64_t huge = std::int64_t{1} << 62;
  // A prefix sum whose window is much longer than the array.
  CHECK(clipped({.size = huge, .pad_low = huge - 1}, 8, 8) == WindowDimension{.size = 8, .pad_low = 7});
  // Two windows that cover the same elements, far apart.
  CHECK(clipped({.size = huge, .stride = huge, .pad_low = huge, .pad_high = huge - 8}, 8, 2) ==
        WindowDimension{.size = 8, .stride = 8, .pad_low = 8});
  CHECK(clipped({.pad_low = huge, .pad_high = -huge, .lhs_dilate = huge}, 1, 1).lhs_dilate == 1);
}
