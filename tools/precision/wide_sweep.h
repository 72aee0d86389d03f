// Runs a function of f64, c64 or c128 on a backend, for difficult and for random arguments, and measures how far each
// result is from the exact one.
#pragma once

#include <string>
#include <vector>

#include "core/backplane.h"
#include "tools/precision/functions.h"

namespace bp::precision {

// The number of arguments of each kind.
struct WideCounts {
  int ordinary = 60;         // between -16 and 16
  int near = 60;             // at random distances from 1, -1, i and -i, where functions have branch points
  int any = 5;               // with random bits, so of any magnitude: these take the longest
  int specials = 200;        // out of all pairs of special numbers; those with a zero, infinity or NaN are always tried
  bool is_magnified = true;  // for powers, see distance_of_complex()
  bool expands_functions = false;  // see expand_functions()
};

struct WideStatistics {
  int inputs = 0;
  double part_ulps = 0,
         norm_ulps = 0;  // the largest distances, in units in the last place; infinity: only one is special
  std::string worst_part, worst_norm;
  std::vector<std::string> special;  // the first few arguments with an infinite distance
};

// Measures in f64 a function of functions() for which has_distance() is true.
bool has_distance(const Function &function);
Result<WideStatistics> sweep_f64(const Backend &backend, const Function &function, const WideCounts &counts);
// Measures the function of complex_functions() with this name.
Result<WideStatistics> sweep_complex(const Backend &backend, std::string_view function, ir::ElementType type,
                                     const WideCounts &counts);

}  // namespace bp::precision
