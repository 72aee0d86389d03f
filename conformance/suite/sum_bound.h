// How large the sums are of which the result of a program of one instruction consists.
#pragma once

#include <vector>

#include "conformance/suite/accuracy.h"
#include "core/ir/module.h"

namespace bp::conformance {

SumBound bound_sums(const ir::Module &module, const std::vector<ir::Literal> &arguments);

// Whether every partial sum of integers is exact, in any order: no sum of their absolute values is too large for the
// numbers in which sums are computed (f64 for f64 and c128, otherwise f32; or those of the result).
bool are_exact(const SumBound &bound);

}  // namespace bp::conformance
