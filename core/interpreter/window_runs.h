// Large windows in nearly linear time, for any associative function: one dimension after the other, and in each by
// doubling. After each iteration, the combination of 1, 2, 4 ... elements from each element on is known; the elements
// under a window are a run, which is composed of such parts.
#pragma once

#include <span>
#include <vector>

#include "core/ir/module.h"

namespace bp::interpreter {

// Elements under the windows along one dimension: each window has `count` elements, from `first` on, `step` apart.
struct WindowRuns {
  struct Run {
    std::int64_t first = 0, count = 0;
  };
  WindowRuns(const ir::WindowDimension &window, std::int64_t input, std::int64_t output);

  std::int64_t input, step, longest = 0;
  bool is_reversed;
  std::vector<Run> runs;
};

// Returns the runs along all dimensions of a reduce-window, for clipped windows (core/ir/window.h); empty if the
// windows are so small that each is best computed by itself.
std::vector<WindowRuns> runs_of_large_windows(std::span<const ir::WindowDimension> window,
                                              std::span<const std::int64_t> input,
                                              std::span<const std::int64_t> output);

// Replaces the elements along a dimension by the combination of each run, in order; for an empty run, by any value.
// outer, inner: the products of the sizes of all dimensions before and after it. Cells holds two arrays and a function
// f. Except for begin() and end(), its functions handle n consecutive elements from the given indices on:
//   begin(count): sets the number of elements of the second array
//   join(i, j, n, is_reversed): first[i] = f(first[i], first[j]), reversed f(first[j], first[i])
//   take(i, j, n): second[i] = first[j]
//   append(i, j, n, is_reversed): second[i] = f(second[i], first[j]), reversed f(first[j], second[i])
//   end(): exchanges the arrays
template <class Cells>
void combine_runs(const WindowRuns &along, std::int64_t outer, std::int64_t inner, Cells &cells) {
  const auto output = static_cast<std::int64_t>(along.runs.size());
  cells.begin(outer * output * inner);
  for (std::int64_t part = 1; part <= along.longest; part *= 2) {
    const std::int64_t reach = part * along.step;  // distance from an element to the one after its part
    for (std::int64_t o = 0; o < outer; ++o) {
      for (std::int64_t i = 0; i < output; ++i) {
        const auto [first, count] = along.runs[static_cast<std::size_t>(i)];
        const std::int64_t done = count & (part - 1), to = (o * output + i) * inner;
        const std::int64_t from = (o * along.input + first + done * along.step) * inner;
        if ((count & part) == 0) {
          continue;
        }
        done == 0 ? cells.take(to, from, inner) : cells.append(to, from, inner, along.is_reversed);
      }
      for (std::int64_t e = 0; e + reach < along.input; ++e) {
        const std::int64_t at = (o * along.input + e) * inner;
        cells.join(at, at + reach * inner, inner, along.is_reversed);
      }
    }
  }
  cells.end();
}

}  // namespace bp::interpreter
