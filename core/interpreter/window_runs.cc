#include "core/interpreter/window_runs.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace bp::interpreter {

// The positions in a window that are at elements, not gaps, are lhs_dilate / g apart, and the elements there are
// rhs_dilate / g apart, where g is the greatest common divisor of the two.
WindowRuns::WindowRuns(const ir::WindowDimension &window, std::int64_t elements, std::int64_t output)
    : input(elements), is_reversed(window.reversal != 0) {
  const std::int64_t divisor = std::gcd(window.lhs_dilate, window.rhs_dilate), apart = window.lhs_dilate / divisor;
  step = window.rhs_dilate / divisor;
  for (std::int64_t i = 0; i < output; ++i) {
    const std::int64_t begin = i * window.stride - window.pad_low, last = (input - 1) * window.lhs_dilate - begin;
    std::int64_t at = begin >= 0 ? 0 : (-begin + window.rhs_dilate - 1) / window.rhs_dilate;
    const std::int64_t end = last < 0 ? 0 : std::min(window.size, last / window.rhs_dilate + 1);
    const std::int64_t tries = std::min(end, at + apart);
    while (at < tries && (begin + at * window.rhs_dilate) % window.lhs_dilate != 0) {
      ++at;
    }
    Run run;
    if (at < tries) {
      run = {(begin + at * window.rhs_dilate) / window.lhs_dilate, (end - at + apart - 1) / apart};
    }
    longest = std::max(longest, run.count);
    runs.push_back(run);
  }
}

std::vector<WindowRuns> runs_of_large_windows(std::span<const ir::WindowDimension> window,
                                              std::span<const std::int64_t> input,
                                              std::span<const std::int64_t> output) {
  constexpr double min_elements = 64;  // elements in windows per element read or written
  double elements = 1, read = 1, written = 1, between = 0;
  for (std::size_t d = window.size(); d-- > 0;) {
    elements *= static_cast<double>(window[d].size);
    written *= static_cast<double>(output[d]);
    read = std::accumulate(input.begin(), input.begin() + static_cast<std::ptrdiff_t>(d), 1.0, std::multiplies<>());
    between = std::max(between, read * written);
  }
  read = std::accumulate(input.begin(), input.end(), 1.0, std::multiplies<>());
  // Arrays between two dimensions may be large if one dimension grows and another one shrinks.
  if (read == 0 || written == 0 || elements * written < min_elements * (read + written) ||
      between > 4 * (read + written)) {
    return {};
  }
  std::vector<WindowRuns> runs;
  for (std::size_t d = 0; d < window.size(); ++d) {
    runs.emplace_back(window[d], input[d], output[d]);
  }
  return runs;
}

}  // namespace bp::interpreter
