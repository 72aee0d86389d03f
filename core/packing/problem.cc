#include "core/packing/problem.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <ranges>
#include <set>

namespace bp::packing {

namespace {

constexpr std::size_t max_alignments = 8;  // the lower bound takes one sweep over time for each

// Returns the lower bound for the items whose alignment is a multiple of `alignment`. Each takes a multiple of
// `alignment` bytes, except the topmost one.
std::int64_t lower_bound_of(std::span<const Item> items, std::int64_t alignment) {
  struct Change {
    std::int64_t time, bytes, padding;  // negative bytes: the item ends
    auto operator<=>(const Change &) const = default;
  };
  std::vector<Change> changes;
  for (const Item &item : items) {
    const std::int64_t bytes = align_up(item.size, alignment);
    for (auto [begin, end] : item.needed) {
      if (begin < end && bytes > 0 && item.alignment % alignment == 0) {
        changes.push_back({begin, bytes, bytes - item.size});
        changes.push_back({end, -bytes, bytes - item.size});
      }
    }
  }
  std::ranges::sort(changes);  // at equal times, ends come first
  std::int64_t live = 0, most = 0;
  std::map<std::int64_t, std::size_t> paddings;  // number of live items by padding
  for (auto [time, bytes, padding] : changes) {
    live += bytes;
    if (bytes > 0) {
      ++paddings[padding];
      most = std::max(most, live - paddings.rbegin()->first);
    } else if (--paddings[padding] == 0) {
      paddings.erase(padding);
    }
  }
  return most;
}

}  // namespace

bool is_needed(const Item &item) {
  return item.size > 0 && std::ranges::any_of(item.needed, [](Interval s) { return s.first < s.second; });
}

std::int64_t lower_bound(std::span<const Item> items) {
  std::set<std::int64_t, std::greater<>> alignments;
  std::int64_t common = 0;  // greatest common divisor of all alignments
  std::int64_t most = 0;
  for (const Item &item : items) {
    alignments.insert(item.alignment);
    common = std::gcd(common, item.alignment);
    most = std::max(most, item.preset >= 0 && is_needed(item) ? item.preset + item.size : 0);
  }
  alignments.erase(common);
  most = std::max(most, common > 0 ? lower_bound_of(items, common) : 0);
  for (std::int64_t alignment : alignments | std::views::take(max_alignments)) {
    most = std::max(most, lower_bound_of(items, alignment));
  }
  return most;
}

std::optional<Overlap> find_overlap(std::span<const Item> items, std::span<const std::int64_t> offsets) {
  struct Change {
    std::int64_t time;
    bool starts;
    std::size_t item;
    auto operator<=>(const Change &) const = default;
  };
  std::vector<Change> changes;
  for (std::size_t i = 0; i < items.size(); ++i) {
    for (auto [begin, end] : items[i].needed) {
      if (begin < end && items[i].size > 0 && offsets[i] >= 0) {
        changes.push_back({begin, true, i});
        changes.push_back({end, false, i});
      }
    }
  }
  std::ranges::sort(changes);
  std::map<std::int64_t, std::size_t> live;  // by offset
  for (const Change &change : changes) {
    std::int64_t offset = offsets[change.item], end = offset + items[change.item].size;
    if (!change.starts) {
      live.erase(offset);
      continue;
    }
    auto next = live.lower_bound(offset);
    if (next != live.end() && next->first < end) {
      return Overlap{next->second, change.item, change.time};
    }
    if (next != live.begin()) {
      std::size_t below = std::prev(next)->second;
      if (offsets[below] + items[below].size > offset) {
        return Overlap{below, change.item, change.time};
      }
    }
    live.emplace(offset, change.item);
  }
  return std::nullopt;
}

Status check(std::span<const Item> items, const Packing &packing) {
  if (packing.offsets.size() != items.size()) {
    return make_error(ErrorCode::Internal, "packing: {} offsets for {} items", packing.offsets.size(), items.size());
  }
  std::int64_t highest = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    std::int64_t offset = packing.offsets[i];
    if (offset < 0 || offset % items[i].alignment != 0) {
      return make_error(ErrorCode::Internal, "packing: item {} begins at {}, expected a multiple of {}", i, offset,
                        items[i].alignment);
    }
    if (items[i].preset >= 0 && offset != items[i].preset) {
      return make_error(ErrorCode::Internal, "packing: item {} begins at {}, expected {}", i, offset, items[i].preset);
    }
    if (is_needed(items[i])) {
      highest = std::max(highest, offset + items[i].size);
    }
  }
  if (highest != packing.height) {
    return make_error(ErrorCode::Internal, "packing: the highest item ends at {}, but the height is {}", highest,
                      packing.height);
  }
  if (auto overlap = find_overlap(items, packing.offsets)) {
    return make_error(ErrorCode::Internal, "packing: items {} and {} overlap at time {}", overlap->first,
                      overlap->second, overlap->time);
  }
  return {};
}

}  // namespace bp::packing
