// What fusion may make for a device, and how it tells of its decisions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace bp::passes {

// What a device takes as one kernel.
struct FusionLimits {
  bool contractions = true;  // a dot or convolution with the elementwise work on its result
  bool prologues = true;     // and on its operands
  bool rows = true;          // reductions along the last dimensions with what follows from them in the same rows
  bool results = true;       // several results of the same elements
  std::size_t max_instructions = 256;
  std::size_t max_values = 64;  // operands and results
  // A contraction's work ends this many possible ends before the last one.
  std::size_t ends_before_last = 0;
  // Kernels that touch fewer bytes cost more to start than to run: those that do not wait for each other become one.
  std::int64_t small_kernel_bytes = 4096;
  std::int64_t max_row_bytes = 1 << 18;  // of one value
  // A reduction to fewer results leaves a part of the device idle: a long one becomes two. With `rows`, a result of
  // neighbours in memory counts as results_per_row, and others as results_per_column. Scatters of smaller windows are
  // sorted. 0: none of this.
  std::int64_t min_results = 4096;
  static constexpr std::int64_t results_per_row = 1024, results_per_column = 256;
};

// Why two kernels did not become one; that they did, if there is no reason.
struct FusionDecision {
  std::string first, second;
  std::string reason;
};

}  // namespace bp::passes
