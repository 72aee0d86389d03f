// Heaps: a packing into several heaps of which none is higher than a limit, for memory that cannot be had in one piece.
#pragma once

#include "core/packing/pack.h"

namespace bp::packing {

struct Heaps {
  std::vector<std::uint32_t> heap;    // by item
  std::vector<std::int64_t> offsets;  // by item, in its heap
  std::vector<std::int64_t> heights;  // by heap
};

// One heap if all fit below the limit. Else items are placed by falling size into the first heap that has room for them
// below the limit; then each heap is packed as pack() does. An item that alone is above the limit has a heap of its
// own. Presets are offsets in the first heap, which may be higher for their sake. The limit is positive. What is left
// at the deadline is stacked in further heaps, without a look at gaps.
Heaps pack_in_heaps(std::span<const Item> items, std::int64_t limit, const Options &options = {});

// As check() of a packing, of each heap.
Status check(std::span<const Item> items, const Heaps &heaps);

}  // namespace bp::packing
