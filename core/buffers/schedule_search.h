// Search for the best order of a few instructions.
#pragma once

#include <optional>

#include "core/buffers/schedule_graph.h"

namespace bp::buffers {

constexpr Number max_searched = 64;  // instructions

// The order of least peak, if that is less than `below`; nothing if there is none, or when the budget (of sets of
// instructions looked at; what was spent is taken off) is spent. Best-first over the sets of instructions that have run:
// what is live depends on the set alone. The graph has at most max_searched instructions.
std::optional<Order> search_order(const ScheduleGraph &graph, std::int64_t below, std::size_t &budget);

// Improves an order where most memory is live: takes the instructions around the peak for a graph of their own and
// searches that, until the peak is the least there can be, or no such stretch lets itself be improved, or the budget is
// spent. Whole computations of at most max_searched instructions are searched at once. Never makes an order worse.
void improve_order(const ScheduleGraph &graph, Order &order, std::size_t &budget);

}  // namespace bp::buffers
