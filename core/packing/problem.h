// Dynamic storage allocation: assigns offsets to items that each need some bytes for some time. Independent of
// programs.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/base/result.h"

namespace bp::packing {

using Interval = std::pair<std::int64_t, std::int64_t>;  // a time interval, [begin, end)

struct Item {
  std::int64_t size = 0;       // bytes, not negative
  std::int64_t alignment = 1;  // of the offset; positive
  // Disjoint intervals in ascending order. Between them its memory may hold other items.
  std::vector<Interval> needed;
  std::int64_t preset = -1;  // required offset; -1: any
};

struct Packing {
  std::vector<std::int64_t> offsets;  // by item
  std::int64_t height = 0;            // the highest end of an item that is needed at some time
};

// Returns the first multiple of `alignment` that is not less than `offset`.
inline std::int64_t align_up(std::int64_t offset, std::int64_t alignment) {
  return (offset + alignment - 1) / alignment * alignment;
}

// Whether the item occupies bytes at some time.
bool is_needed(const Item &item);

// Returns the maximum number of bytes needed at one time, including padding that alignment requires, or the highest end
// of a preset if that is larger: no packing is lower.
std::int64_t lower_bound(std::span<const Item> items);

struct Overlap {
  std::size_t first = 0, second = 0;  // items; the second begins while the first is needed
  std::int64_t time = 0;
};
// Finds two items that occupy the same bytes at the same time; ignores items at negative offsets. One sweep over time.
std::optional<Overlap> find_overlap(std::span<const Item> items, std::span<const std::int64_t> offsets);

// Returns Internal if two items overlap in space and time, if an item is misaligned, has no offset or not its preset
// one, or if the height is not the highest end. One sweep over time; shares no code with the packing algorithms.
Status check(std::span<const Item> items, const Packing &packing);

}  // namespace bp::packing
