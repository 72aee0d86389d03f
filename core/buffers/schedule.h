// Schedule: an order of instructions in which little memory is live.
#pragma once

#include <array>
#include <string_view>

#include "core/base/result.h"
#include "core/ir/module.h"

namespace bp::buffers {

// How the instructions of a computation are ordered; see schedule_orders.h.
enum class Scheduling { Least, Program, List, Backward, DepthFirst, PostOrder };

// Orders each control computation of a module that is not scheduled yet, and sets is_scheduled; says whether it
// was not. Operands and control predecessors come first; instructions with side effects keep their order. Least takes,
// for each computation, the order that needs the least memory in a simulation, and improves it by search; if the module
// then needs more than the simulation says it must, all orders are planned, and the one with the smallest plan is taken.
// InvalidInput if control predecessors form a cycle; errors as Dataflow::analyze(). Near linear.
Result<bool> schedule(ir::Module &module, Scheduling scheduling);
Result<bool> schedule(ir::Module &module);

}  // namespace bp::buffers
