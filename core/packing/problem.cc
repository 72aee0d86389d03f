#include "core/packing/problem.h"

#include <algorithm>
#include <map>

namespace bp::packing {

std::int64_t lower_bound(std::span<const Item> items) {
  std::vector<std::pair<std::int64_t, std::int64_t>> changes;  // time, bytes
  for (const Item &item : items) {
    for (auto [begin, end] : item.needed) {
      if (begin < end) {
        changes.emplace_back(begin, item.size);
        changes.emplace_back(end, -item.size);
      }
    }
  }
  std::ranges::sort(changes);  // at one time, what ends comes first
  std::int64_t live = 0, most = 0;
  for (auto [time, bytes] : changes) {
    live += bytes;
    most = std::max(most, live);
  }
  return most;
}

Status check(std::span<const Item> items, const Packing &packing) {
  if (packing.offsets.size() != items.size()) {
    return make_error(ErrorCode::Internal, "packing: {} offsets for {} items", packing.offsets.size(), items.size());
  }
  struct Change {
    std::int64_t time;
    bool starts;
    std::size_t item;
    auto operator<=>(const Change &) const = default;
  };
  std::vector<Change> changes;
  std::int64_t highest = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    std::int64_t offset = packing.offsets[i];
    if (offset < 0 || offset % items[i].alignment != 0) {
      return make_error(ErrorCode::Internal, "packing: item {} lies at {}, expected a multiple of {}", i, offset,
                        items[i].alignment);
    }
    if (items[i].preset >= 0 && offset != items[i].preset) {
      return make_error(ErrorCode::Internal, "packing: item {} lies at {}, expected {}", i, offset, items[i].preset);
    }
    if (items[i].size > 0) {
      for (auto [begin, end] : items[i].needed) {
        if (begin < end) {
          highest = std::max(highest, offset + items[i].size);
          changes.push_back({begin, true, i});
          changes.push_back({end, false, i});
        }
      }
    }
  }
  if (highest != packing.height) {
    return make_error(ErrorCode::Internal, "packing: the highest item ends at {}, but the height is {}", highest,
                      packing.height);
  }
  std::ranges::sort(changes);
  std::map<std::int64_t, std::size_t> live;  // by offset
  for (const Change &change : changes) {
    std::int64_t offset = packing.offsets[change.item], end = offset + items[change.item].size;
    if (!change.starts) {
      live.erase(offset);
      continue;
    }
    auto next = live.lower_bound(offset);
    auto clash = live.end();
    if (next != live.end() && next->first < end) {
      clash = next;
    } else if (next != live.begin() &&
               packing.offsets[std::prev(next)->second] + items[std::prev(next)->second].size > offset) {
      clash = std::prev(next);
    }
    if (clash != live.end()) {
      return make_error(ErrorCode::Internal, "packing: items {} and {} overlap at time {}", change.item, clash->second,
                        change.time);
    }
    live.emplace(offset, change.item);
  }
  return {};
}

}  // namespace bp::packing
