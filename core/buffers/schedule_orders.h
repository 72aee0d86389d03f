// Heuristics: orders of a computation, each of which keeps little memory live for most programs. All are near linear.
#pragma once

#include "core/buffers/schedule_graph.h"

namespace bp::buffers {

// Program order, as far as the edges allow; shorter than the graph if the edges form a cycle.
Order program_order(const ScheduleGraph &graph);

// List scheduling: always runs the instruction that adds least to the live memory: bytes of the values it makes minus
// bytes of the values of which it is the last reader.
Order min_growth_order(const ScheduleGraph &graph);

// List scheduling from the end: among the instructions all of whose successors are placed, takes the one that adds
// least to the memory that must be live before it.
Order backward_order(const ScheduleGraph &graph);

// Post-order from the instructions without successors: the operands of an instruction come right before it, in operand
// order.
Order post_order(const ScheduleGraph &graph, const Order &base);

// Post-order in which predecessors are visited by decreasing difference between the memory that one needs and the
// memory that its result keeps live, as in register allocation for expression trees (Sethi-Ullman).
Order depth_first_order(const ScheduleGraph &graph, const Order &base);

}  // namespace bp::buffers
