// Receiving side of a collective-permute in place.
#pragma once

#include "core/interpreter/evaluator.h"

namespace bp::interpreter {

// Copies slices of operand 0 at the starts in operand 2 into operand 1 at the starts in operand 3. The operands are
// either one array, or a tuple of arrays with starts for each. A start is a tuple of one integer per dimension; several
// starts are a tuple of such tuples.
Result<Literal> received_slices(const Evaluator &evaluator, const Instruction &instruction, Operands operands);

}  // namespace bp::interpreter
