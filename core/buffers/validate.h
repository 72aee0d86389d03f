// Validate: checks that a plan keeps every value until its last use. Shares no analysis with assign().
#pragma once

#include "core/base/result.h"
#include "core/buffers/plan.h"

namespace bp::buffers {

// Runs the program symbolically, one instruction after another, over a memory that records which value each block of
// bytes holds: a write to a block discards the values it overlaps, and a read requires that the block holds the value
// read. Accepts the plan only if
//   * each array has a slice of its size, aligned, inside its allocation, in its memory space (temporaries of space 0:
//     in any);
//   * every read finds its value; a result overlaps an operand only where the op permits it, and then exactly;
//   * constants and parameters that are not donated are never written;
//   * while state, branch results and call results keep their slices;
//   * output k is found in allocation Output k, or in the Input that the module's header donates to it.
// A loop is run once, from a state that represents any iteration; branches are run one after another, as if all were
// taken. Error: Internal, naming the instruction. Near linear.
Status validate(const ir::Module &module, const Plan &plan);

}  // namespace bp::buffers
