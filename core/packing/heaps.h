// Heaps: a packing into several heaps that are each at most a limit high, for memory that is not available as one
// block.
#pragma once

#include "core/packing/pack.h"

namespace bp::packing {

struct Heaps {
  std::vector<std::uint32_t> heap;    // by item
  std::vector<std::int64_t> offsets;  // by item, in its heap
  std::vector<std::int64_t> heights;  // by heap
};

// Uses one heap if all items fit below the limit. Otherwise items are assigned by decreasing size to the first heap
// that has room for them below the limit; then each heap is packed as by pack(). An item that is itself larger than the
// limit gets a heap of its own. Presets are offsets in the first heap, which may exceed the limit because of them. The
// limit is positive. Items left at the deadline are stacked in further heaps without a search for gaps.
Heaps pack_in_heaps(std::span<const Item> items, std::int64_t limit, const Options &options = {});

// Checks each heap as check() checks a packing.
Status check(std::span<const Item> items, const Heaps &heaps);

}  // namespace bp::packing
