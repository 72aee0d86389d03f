// Collectives, for those that begin here and end there.
#pragma once

#include "core/interpreter/evaluator.h"

namespace bp::interpreter {

// What a collective, or the start of one, gives the device that evaluates it, as a value of `shape`: waits for the
// others of its group.
Result<Literal> exchanged(Evaluator &evaluator, const Instruction &instruction, Operands operands, const Shape &shape);

}  // namespace bp::interpreter
