// Dynamic storage allocation: offsets for items that each need some bytes for a while. Knows nothing of programs.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/base/result.h"

namespace bp::packing {

using Stretch = std::pair<std::int64_t, std::int64_t>;  // of time: [begin, end)

struct Item {
  std::int64_t size = 0;        // bytes, not negative
  std::int64_t alignment = 1;   // of the offset, positive
  std::vector<Stretch> needed;  // when, in order, disjoint. Between them its memory may hold others.
  std::int64_t preset = -1;     // the offset it must have; -1: any
};

struct Packing {
  std::vector<std::int64_t> offsets;  // by item
  std::int64_t height = 0;            // the highest end of an item that is needed at some time
};

// The first multiple of the alignment from there on.
inline std::int64_t align_up(std::int64_t offset, std::int64_t alignment) {
  return (offset + alignment - 1) / alignment * alignment;
}

// Whether it takes bytes at some time.
bool is_needed(const Item &item);

// The most bytes needed at one time, with those that alignment keeps free between them, or the highest end of a preset:
// no packing is lower.
std::int64_t lower_bound(std::span<const Item> items);

struct Overlap {
  std::size_t first = 0, second = 0;  // items; the second one's need begins while the first one is needed
  std::int64_t time = 0;
};
// Two items that lie at the same bytes at the same time; items at negative offsets are left out. One sweep over time.
std::optional<Overlap> find_overlap(std::span<const Item> items, std::span<const std::int64_t> offsets);

// Internal if two items overlap in space and time, one is misaligned, has no place or not its preset one, or the height
// is not the highest end. One sweep over time, sharing nothing with the algorithms.
Status check(std::span<const Item> items, const Packing &packing);

}  // namespace bp::packing
