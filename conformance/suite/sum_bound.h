// How large the sums and products are of which the result of an instruction consists.
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

// Whether the instruction multiplies inexact numbers by a function that it calls, as a product over a dimension does.
bool multiplies_by_function(const ir::Instruction &instruction);
// Whether overflow, underflow or NaN depends on the order in which the instruction adds or multiplies.
bool is_order_everything(const ir::Instruction &instruction, std::span<const ir::Literal> operands);

// Judges the result of a program of one instruction of an op with this accuracy, on arguments of this kind: sums of
// small integers, and products of factors, that are exact in any order have to be exact. `type`: of the operands.
Judgement judge_instruction(const ir::Module &module, const std::vector<ir::Literal> &arguments, Values values,
                            const ir::Literal &found, const ir::Literal &expected, const Accuracy &accuracy,
                            ir::ElementType type);

}  // namespace bp::conformance
