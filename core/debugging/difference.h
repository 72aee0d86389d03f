// Where two results differ.
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
  std::string bound;                  // what is allowed; empty: nothing
};

// "output {1} at [0,17]: 0.25 becomes 0.2500001"
std::string to_string(const Difference &difference);

// Outputs, the elements of a root tuple, that are not to be compared.
using Ignored = std::vector<bool>;

// The first element whose bits differ, if any does; any NaN equals any NaN, also as a part of a complex number. Of
// dynamic arrays the sizes and what lies within them. Layouts do not matter.
std::optional<Difference> find_difference(const ir::Literal &before, const ir::Literal &after, const Ignored &ignored);

// The element that differs most in an array where that is more than `units` times what `moved` differs from `before`
// plus one unit in the last place of the array's largest value; see passes::Rounding. `moved`: results on inputs that
// were moved by one unit in the last place.
Result<std::optional<Difference>> find_difference_beyond(double units, const ir::Literal &before,
                                                         const ir::Literal &after,
                                                         const std::vector<ir::Literal> &moved, const Ignored &ignored);

}  // namespace bp::debugging
