// Limits of the kernels that fusion may build for a device, and reports about its decisions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

namespace bp::passes {

// Kinds and sizes of kernels that a device runs.
struct FusionLimits {
  bool contractions = true;  // a dot or convolution with the elementwise work on its result
  bool attention = true;     // two dots, and work on the rows of the first one's result between them
  // Times that an element of its operands may be computed, so that work on operands is fused; 0: it is not.
  std::int64_t max_prologue_uses = std::numeric_limits<std::int64_t>::max();
  bool rows = true;     // reductions along the last dimensions, with the work on their results in the same rows
  bool results = true;  // several results with the same elements
  std::size_t max_instructions = 256;
  std::size_t max_values = 64;  // operands and results
  // Number of possible ends of a contraction's fusion that are skipped, counted from the last one.
  std::size_t ends_before_last = 0;
  // Kernels that read and write fewer bytes take longer to start than to run. Those that do not depend on each other
  // are merged.
  std::int64_t small_kernel_bytes = 4096;
  std::int64_t max_row_bytes = 1 << 18;  // bytes of one value in a row
  // Minimum number of results that keeps the whole device busy. A long reduction to fewer results is split into two.
  // With `rows`, a result of elements that are adjacent in memory counts as results_per_row, and any other as
  // results_per_column. 0: none is split.
  std::int64_t min_results = 4096;
  // The same for scans of few lines, which are split, and scatters of windows with fewer elements, which are sorted.
  std::int64_t min_results_in_order = 4096;
  static constexpr std::int64_t results_per_row = 1024, results_per_column = 256;
};

// Reason why two kernels were not merged; if it is empty, they were merged.
struct FusionDecision {
  std::string first, second;
  std::string reason;
};

}  // namespace bp::passes
