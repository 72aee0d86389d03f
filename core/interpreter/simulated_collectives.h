// Collectives between the devices of a simulation.
#pragma once

#include "core/interpreter/evaluator.h"

namespace bp::interpreter {

// What a collective, or the start of one, gives the device that evaluates it: waits for the others of its group.
// Semantics: StableHLO's. The evaluator's options have an exchange.
Result<std::vector<Literal>> exchange_with_group(Evaluator &evaluator, const Instruction &instruction,
                                                 Operands operands);

}  // namespace bp::interpreter
