// Search for the best order of a few instructions.
#pragma once

#include <optional>

#include "core/buffers/schedule_graph.h"

namespace bp::buffers {

constexpr Number max_searched = 64;  // maximum number of instructions in one search

// Returns the order with the lowest peak, if that is below `below`; nullopt if there is none, or when the budget is
// used up. The budget counts sets of instructions examined; the number used is subtracted from it. Best-first search
// over the sets of instructions that have run: the live memory depends on the set alone. The graph has at most
// max_searched instructions.
std::optional<Order> search_order(const ScheduleGraph &graph, std::int64_t below, std::size_t &budget);

// Improves an order where most memory is live: makes a graph of the instructions around the peak and searches that,
// until the peak is minimal, no such section can be improved, or the budget is used up. Whole computations of at most
// max_searched instructions are searched at once. Never makes an order worse.
void improve_order(const ScheduleGraph &graph, Order &order, std::size_t &budget);

}  // namespace bp::buffers
