// How large the sums are of which a result consists.
#pragma once

#include <optional>
#include <span>

#include "core/ir/literal.h"
#include "core/ir/module.h"

namespace bp::conformance {

// For each element of a result that is a sum: the sum of the absolute values of its terms, and an upper bound on their
// number.
struct SumBound {
  std::optional<ir::Literal> sums;  // nothing: the interpreter cannot compute them
  std::int64_t terms = 1;
};
SumBound bound_sums(const ir::Module &module, const std::vector<ir::Literal> &arguments);

// Whether every partial sum is exact, in any order: all terms are integers, and no sum of their absolute values is too
// large for the numbers in which sums are computed (f64 for f64 and c128, otherwise f32).
bool are_exact(const SumBound &bound);

}  // namespace bp::conformance
