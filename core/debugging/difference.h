// Finds where two results differ.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/ir/literal.h"

namespace bp::debugging {

struct Difference {
  std::vector<std::int64_t> output;   // its index in the tuple; empty for a result that is one array
  std::vector<std::int64_t> element;  // its index in the array; empty for a scalar, or if the shapes differ
  std::string before, after;          // the two values, or the shapes
  std::string bound;                  // the difference allowed; empty: none
};

// Returns "output {1} at [0,17]: 0.25 becomes 0.2500001".
std::string to_string(const Difference &difference);

// Outputs (elements of a root tuple) that are not compared.
using Ignored = std::vector<bool>;

// Returns the first element whose bits differ, if there is one. Any NaN equals any other NaN, also as a part of a
// complex number. For dynamic arrays, compares the sizes and the elements within them. Layouts are ignored.
std::optional<Difference> find_difference(const ir::Literal &before, const ir::Literal &after, const Ignored &ignored);

// Returns the element with the largest difference in an array if that exceeds `units` times the sum of the difference
// between `moved` and `before` and one unit in the last place of the array's largest value; see passes::Rounding.
// `moved`: results on inputs that were moved by one unit in the last place. An array of which they leave no digit is
// not compared, unless it becomes infinite or NaN.
Result<std::optional<Difference>> find_difference_beyond(double units, const ir::Literal &before,
                                                         const ir::Literal &after,
                                                         const std::vector<ir::Literal> &moved, const Ignored &ignored);

}  // namespace bp::debugging
