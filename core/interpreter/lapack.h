// LAPACK's routines, which programs exported for JAX's cpu call by name; see core/ir/lapack_calls.h.
#pragma once

#include "core/interpreter/evaluator.h"
#include "core/ir/lapack_calls.h"

namespace bp::interpreter {

// Evaluates a call of a routine other than None, in the sum type.
Result<Literal> evaluate_lapack_call(Evaluator &evaluator, const Instruction &instruction, Operands operands,
                                     const ir::LapackCall &call);

}  // namespace bp::interpreter
