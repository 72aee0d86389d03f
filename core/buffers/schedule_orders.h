// Heuristics: orders of a computation in each of which little memory is live, for most programs. All are near linear.
#pragma once

#include "core/buffers/schedule_graph.h"

namespace bp::buffers {

// As it is, as far as edges allow; shorter than the graph if they form a cycle.
Order program_order(const ScheduleGraph &graph);

// List scheduling: always runs what adds least to the memory that is live: bytes made minus bytes of values of which it
// is the last reader.
Order min_growth_order(const ScheduleGraph &graph);

// The same from the end: of what nothing waits for any more, the last is what leaves least to be made before it.
Order backward_order(const ScheduleGraph &graph);

// Post-order from what nothing comes after: whatever an instruction needs comes right before it, in the order of its
// operands.
Order post_order(const ScheduleGraph &graph, const Order &base);

// Post-order in which predecessors are visited the most demanding first: what one needs on top of what it leaves behind,
// as registers are numbered in expression trees.
Order depth_first_order(const ScheduleGraph &graph, const Order &base);

}  // namespace bp::buffers
