// Schedule: orders instructions so that little memory is live.
#pragma once

#include <array>
#include <string_view>

#include "core/base/result.h"
#include "core/ir/module.h"

namespace bp::buffers {

// The method by which the instructions of a computation are ordered; see schedule_orders.h.
enum class Scheduling { Least, Program, List, Backward, DepthFirst, PostOrder };

// Orders each control computation of a module that is not scheduled yet, and sets is_scheduled; returns whether it was
// not scheduled. Operands and control predecessors come first; instructions with side effects keep their order. Least
// takes, for each computation, the order that needs the least memory in a simulation, and improves it by search; if the
// plan of the module then needs more than the lower bound of the simulation, it plans the orders of the other methods
// too and takes the one with the smallest plan. InvalidInput if control predecessors form a cycle; otherwise the errors
// of Dataflow::analyze(). Near linear.
Result<bool> schedule(ir::Module &module, Scheduling scheduling);
Result<bool> schedule(ir::Module &module);

}  // namespace bp::buffers
