// Schedule: an order of instructions in which little memory is live.
#pragma once

#include "core/base/result.h"
#include "core/ir/module.h"

namespace bp::buffers {

// Orders each control computation of a module that is not scheduled yet, and sets is_scheduled; says whether it
// was not. Of three orders the one with the least memory live at its peak is taken, the earlier one if they are equal:
// the order as it is; depth first, the most demanding operand first; and a list schedule that always takes what frees
// most. Operands and control predecessors come first in each; instructions with side effects keep their order.
// InvalidInput if control predecessors form a cycle; errors as Dataflow::analyze(). Near linear.
Result<bool> schedule(ir::Module &module);

}  // namespace bp::buffers
