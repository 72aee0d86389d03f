// What a collective-permute in place receives.
#pragma once

#include "core/interpreter/evaluator.h"

namespace bp::interpreter {

// In place, slices of operand 0 at the starts in operand 2 go into operand 1 at the starts in operand 3. Either one
// array, or a tuple of arrays with starts each; a start is a tuple of an integer per dimension, several are a tuple of
// such tuples.
Result<Literal> received_slices(const Evaluator &evaluator, const Instruction &instruction, Operands operands);

}  // namespace bp::interpreter
