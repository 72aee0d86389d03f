// How large the sums are of which the result of a program of one instruction consists.
#pragma once

#include <vector>

#include "conformance/suite/accuracy.h"
#include "conformance/suite/values.h"
#include "core/ir/module.h"

namespace bp::conformance {

// Returns the bound for a program of one instruction, from its result for the absolute values of its arguments.
SumBound bound_sums(const ir::Module &module, const std::vector<ir::Literal> &arguments);

// Whether every partial sum is exact, in any order: no sum of absolute values has, in units of which all terms are
// multiples, too many digits for the numbers in which sums are computed (f64 for f64 and c128, otherwise f32; or those
// of the result).
bool are_exact(const SumBound &bound);

// Judges the result of a program of one instruction of an op with this accuracy, on arguments of this kind: sums of
// small integers that are exact in any order have to be exact. `type`: of the operands.
Judgement judge_instruction(const ir::Module &module, const std::vector<ir::Literal> &arguments, Values values,
                            const ir::Literal &found, const ir::Literal &expected, const Accuracy &accuracy,
                            ir::ElementType type);

}  // namespace bp::conformance
