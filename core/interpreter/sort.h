// Custom calls that sort; see core/ir/top_k_calls.h.
#pragma once

#include "core/interpreter/evaluator.h"

namespace bp::interpreter {

// Evaluates TopK or ApproxTopK, exactly. dimension: that of ir::top_k_dimension().
Result<Literal> evaluate_top_k_call(Evaluator &evaluator, const Instruction &call, Operands operands,
                                    std::size_t dimension);

}  // namespace bp::interpreter
