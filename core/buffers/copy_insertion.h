// Copy insertion: the copies without which no plan is correct.
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/ir/module.h"

namespace bp::buffers {

// Adds copies so that assign() succeeds, and takes out those it does not need, also the program's own between equal
// layouts; says whether it changed anything. After it
//   * the entry's results are distinct arrays, none of them a constant or a parameter that is not donated to it;
//   * the initial value, parameters, next value and result of while state fit into one place, so do the results of a
//     conditional's branches;
//   * a must-alias of input_output_alias holds; a may-alias that would cost a copy is left unused.
// In-place ops (dynamic-update-slice, scatter, sort) get no copies: where the operand is still needed their result has
// a place of its own. Errors as Dataflow::analyze(): a flat call graph is expected. What is needed depends on the order
// of instructions: schedule first. Near linear.
Result<bool> insert_copies(ir::Module &module);

// Why insert_copies() left a copy in the program: "output 0: x is a parameter that is not donated". Empty for others.
std::string copy_reason(ir::Instruction copy);

}  // namespace bp::buffers
