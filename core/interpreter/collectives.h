// Collectives, also those that consist of a start and a done instruction.
#pragma once

#include "core/interpreter/evaluator.h"

namespace bp::interpreter {

// Evaluates a collective, or the start of one, on one device: waits for the other devices of its group, and returns
// this device's result, of `shape`.
Result<Literal> exchanged(Evaluator &evaluator, const Instruction &instruction, Operands operands, const Shape &shape);

}  // namespace bp::interpreter
