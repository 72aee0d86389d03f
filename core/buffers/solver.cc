// Best fit: items are placed one after another, each into the smallest gap between the already placed items that are
// needed together with it. A segment tree over time finds those: a stretch lies in the O(log n) nodes that tile it, and
// whatever meets a query lies in a node above, below or among the nodes that tile the query.
#include "core/buffers/solver.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace bp::buffers {
namespace {

std::int64_t align_up(std::int64_t offset, std::int64_t alignment) {
  return (offset + alignment - 1) / alignment * alignment;
}

// Which placed items meet a stretch of time. Times are ranks 0..n-1 of the stretches' ends.
class OverlapIndex {
 public:
  explicit OverlapIndex(std::size_t times) {
    while (leaves_ < times) {
      leaves_ *= 2;
    }
    here_.resize(2 * leaves_);
    below_.resize(2 * leaves_);
  }

  void insert(std::size_t begin, std::size_t end, std::uint32_t item) {
    for (std::size_t low = begin + leaves_, high = end + leaves_; low < high; low /= 2, high /= 2) {
      if (low % 2 == 1) {
        insert_at(low++, item);
      }
      if (high % 2 == 1) {
        insert_at(--high, item);
      }
    }
  }

  // Calls visit(item) at least once for each item that meets [begin, end).
  template <class Visit>
  void visit(std::size_t begin, std::size_t end, Visit &&visit) const {
    std::size_t low = begin + leaves_, high = end + leaves_;
    for (std::size_t node = low / 2; node != 0; node /= 2) {
      visit_here(node, visit);
    }
    for (std::size_t node = (high - 1) / 2; node != 0; node /= 2) {
      visit_here(node, visit);
    }
    for (; low < high; low /= 2, high /= 2) {
      if (low % 2 == 1) {
        visit_subtree(low++, visit);
      }
      if (high % 2 == 1) {
        visit_subtree(--high, visit);
      }
    }
  }

 private:
  void insert_at(std::size_t node, std::uint32_t item) {
    here_[node].push_back(item);
    for (node /= 2; node != 0 && !below_[node]; node /= 2) {
      below_[node] = true;
    }
  }
  template <class Visit>
  void visit_here(std::size_t node, Visit &&visit) const {
    for (std::uint32_t item : here_[node]) {
      visit(item);
    }
  }
  template <class Visit>
  void visit_subtree(std::size_t node, Visit &&visit) const {
    visit_here(node, visit);
    if (below_[node]) {
      visit_subtree(2 * node, visit);
      visit_subtree(2 * node + 1, visit);
    }
  }

  std::size_t leaves_ = 1;
  std::vector<std::vector<std::uint32_t>> here_;
  std::vector<bool> below_;  // something lies in a node beneath
};

struct RankedItem {
  std::int64_t size = 0, alignment = 1, duration = 0;
  std::vector<std::pair<std::size_t, std::size_t>> needed;  // ranks of times
};

struct RankedItems {
  std::vector<RankedItem> items;
  std::size_t times = 0;
};

RankedItems rank_times(std::span<const PackingItem> items) {
  std::vector<std::int64_t> times;
  for (const PackingItem &item : items) {
    for (auto [begin, end] : item.needed) {
      times.push_back(begin);
      times.push_back(end);
    }
  }
  std::ranges::sort(times);
  times.erase(std::unique(times.begin(), times.end()), times.end());
  auto rank = [&](std::int64_t time) {
    return static_cast<std::size_t>(std::ranges::lower_bound(times, time) - times.begin());
  };
  RankedItems ranked;
  ranked.times = times.size() + 1;
  for (const PackingItem &item : items) {
    RankedItem &added = ranked.items.emplace_back(RankedItem{item.size, item.alignment, 0, {}});
    for (auto [begin, end] : item.needed) {
      if (begin < end) {
        added.duration += end - begin;
        added.needed.emplace_back(rank(begin), rank(end));
      }
    }
  }
  return ranked;
}

Packing best_fit(const RankedItems &ranked, std::span<const std::uint32_t> order) {
  const auto &items = ranked.items;
  Packing packing;
  packing.offsets.assign(items.size(), 0);
  OverlapIndex placed(ranked.times);
  std::vector<std::pair<std::int64_t, std::int64_t>> taken;  // begin and end of what is in the way
  std::vector<std::uint32_t> seen_for(items.size(), 0xffffffff);
  for (std::uint32_t i : order) {
    const RankedItem &item = items[i];
    if (item.size == 0) {
      continue;
    }
    taken.clear();
    for (auto [begin, end] : item.needed) {
      placed.visit(begin, end, [&](std::uint32_t other) {
        if (seen_for[other] != i) {
          seen_for[other] = i;
          taken.emplace_back(packing.offsets[other], packing.offsets[other] + items[other].size);
        }
      });
    }
    std::ranges::sort(taken);
    std::int64_t top = 0, best = -1, best_gap = 0;
    for (auto [begin, end] : taken) {
      std::int64_t offset = align_up(top, item.alignment);
      if (begin - offset >= item.size && (best < 0 || begin - top < best_gap)) {
        best = offset;
        best_gap = begin - top;
      }
      top = std::max(top, end);
    }
    packing.offsets[i] = best >= 0 ? best : align_up(top, item.alignment);
    packing.size = std::max(packing.size, packing.offsets[i] + item.size);
    for (auto [begin, end] : item.needed) {
      placed.insert(begin, end, i);
    }
  }
  return packing;
}

}  // namespace

Packing pack(std::span<const PackingItem> items) {
  RankedItems ranked = rank_times(items);
  std::vector<std::uint32_t> order(items.size());
  std::iota(order.begin(), order.end(), 0u);
  auto sorted_by = [&](auto key) {
    auto sorted = order;
    std::ranges::stable_sort(
        sorted, [&](std::uint32_t a, std::uint32_t b) { return key(ranked.items[a]) > key(ranked.items[b]); });
    return best_fit(ranked, sorted);
  };
  std::int64_t lower_bound = packing_lower_bound(items);
  Packing best = sorted_by([](const RankedItem &item) { return std::pair(item.size, item.duration); });
  auto try_order = [&](auto key) {
    if (best.size > lower_bound) {
      Packing other = sorted_by(key);
      if (other.size < best.size) {
        best = std::move(other);
      }
    }
  };
  try_order([](const RankedItem &item) { return std::pair(item.duration, item.size); });
  try_order([](const RankedItem &item) {  // area; floating point, since it may exceed an int64
    return std::pair(static_cast<double>(item.size) * static_cast<double>(item.duration), item.size);
  });
  return best;
}

std::int64_t packing_lower_bound(std::span<const PackingItem> items) {
  std::vector<std::pair<std::int64_t, std::int64_t>> changes;  // time, bytes
  for (const PackingItem &item : items) {
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

Status check_packing(std::span<const PackingItem> items, const Packing &packing) {
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
    if (items[i].size > 0) {
      highest = std::max(highest, offset + items[i].size);
      for (auto [begin, end] : items[i].needed) {
        if (begin < end) {
          changes.push_back({begin, true, i});
          changes.push_back({end, false, i});
        }
      }
    }
  }
  if (highest != packing.size) {
    return make_error(ErrorCode::Internal, "packing: the highest item ends at {}, but the size is {}", highest,
                      packing.size);
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

}  // namespace bp::buffers
