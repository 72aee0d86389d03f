// Solver: offsets for things that are needed for a while (dynamic storage allocation). Knows nothing of programs.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/base/result.h"

namespace bp::buffers {

struct PackingItem {
  std::int64_t size = 0;       // bytes, not negative
  std::int64_t alignment = 1;  // of the offset, positive
  // When it is needed: [begin, end) each, in order, disjoint. Between them its memory may hold others.
  std::vector<std::pair<std::int64_t, std::int64_t>> needed;
};

struct Packing {
  std::vector<std::int64_t> offsets;  // by item
  std::int64_t size = 0;              // the highest end of an item
};

// A packing in which no two items that are needed at the same time overlap. Best fit in several orders of the items,
// the best result is taken; deterministic. About n * k log k, k being how many items are needed together with one;
// n * n where more than ten million pairs of items are.
Packing pack(std::span<const PackingItem> items);

// The most bytes needed at one time: no packing is smaller.
std::int64_t packing_lower_bound(std::span<const PackingItem> items);

// Internal if two items overlap in space and time, one is misaligned or has no place, or the size is not the highest
// end. One sweep over time, sharing nothing with pack().
Status check_packing(std::span<const PackingItem> items, const Packing &packing);

}  // namespace bp::buffers
