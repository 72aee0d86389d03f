// Copy insertion: adds the copies without which no plan is correct.
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/ir/module.h"

namespace bp::buffers {

// Adds copies so that assign() succeeds, and removes those it does not need, also the program's own copies between
// equal layouts; returns whether it changed anything. Afterwards
//   * the entry's results are distinct arrays, none of them a constant or a parameter that is not donated to it;
//   * the initial value, parameters, next value and result of while state can share one slice, and so can the results
//     of a conditional's branches;
//   * a must-alias of input_output_alias holds; a may-alias that would cost a copy is not used.
// In-place ops (dynamic-update-slice, scatter, sort) get no copies: where the operand is needed later, their result has
// a slice of its own. Fails with the errors of Dataflow::analyze(): a flat call graph is required. The copies needed
// depend on the order of instructions: schedule first. Near linear.
Result<bool> insert_copies(ir::Module &module);

// Says why insert_copies() left a copy in the program: "output 0: x is a parameter that is not donated". Empty for
// other instructions.
std::string copy_reason(ir::Instruction copy);

}  // namespace bp::buffers
