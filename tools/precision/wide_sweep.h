// Runs a function of f64, c64 or c128 on a backend, at numbers that are hard and at random ones, and measures how far
// each result is from the exact one.
#pragma once

#include <string>
#include <vector>

#include "core/backplane.h"
#include "tools/precision/functions.h"

namespace bp::precision {

// The number of arguments of each kind.
struct WideCounts {
  int ordinary = 60;         // between -16 and 16
  int near = 60;             // as near to 1, -1, i and -i, where functions branch, as random
  int any = 5;               // of random bits, so of any size: these take the longest
  int specials = 200;        // of all pairs of special numbers; those with a zero, infinity or NaN are always tried
  bool is_magnified = true;  // of powers, see distance_of_complex()
  bool expands_functions = false;  // see expand_functions()
};

struct WideStatistics {
  int inputs = 0;
  double of_parts = 0, of_norm = 0;  // the largest distances, in units in the last place; infinity: a special differs
  std::string worst_part, worst_norm;
  std::vector<std::string> special;  // the first few infinite ones
};

// Measures a function of functions() in f64; only one that has_distance().
bool has_distance(const Function &function);
Result<WideStatistics> sweep_f64(const Backend &backend, const Function &function, const WideCounts &counts);
// Measures a function of complex_functions(), by its name.
Result<WideStatistics> sweep_complex(const Backend &backend, std::string_view function, ir::ElementType type,
                                     const WideCounts &counts);

}  // namespace bp::precision
