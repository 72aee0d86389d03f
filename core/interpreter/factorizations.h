// Factorizations of matrices, which programs call by name; see core/ir/factorization_calls.h.
#pragma once

#include "core/interpreter/evaluator.h"
#include "core/ir/factorization_calls.h"

namespace bp::interpreter {

// Evaluates a factorization other than None, in the sum type.
Result<Literal> evaluate_factorization(Evaluator &evaluator, const Instruction &instruction, Operands operands,
                                       ir::Factorization factorization);

}  // namespace bp::interpreter
