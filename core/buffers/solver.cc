// Best fit: items are placed one after another, each into the smallest gap between the already placed items that are
// needed together with it. Which items meet is found once, by a sweep over time, and used for every order; if too many
// meet to write that down, all placed items are looked at instead, lowest offset first.
#include "core/buffers/solver.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace bp::buffers {
namespace {

using Stretch = std::pair<std::int64_t, std::int64_t>;

std::int64_t align_up(std::int64_t offset, std::int64_t alignment) {
  return (offset + alignment - 1) / alignment * alignment;
}

// Which items are needed together with which. Empty if these are more than `max_pairs`.
class Neighbours {
 public:
  explicit Neighbours(std::span<const PackingItem> items) {
    std::vector<std::pair<Stretch, std::uint32_t>> stretches;
    for (std::uint32_t i = 0; i < items.size(); ++i) {
      for (Stretch stretch : items[i].needed) {
        if (stretch.first < stretch.second && items[i].size > 0) {
          stretches.emplace_back(stretch, i);
        }
      }
    }
    std::ranges::sort(stretches);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
    std::vector<std::pair<std::int64_t, std::uint32_t>> active;  // end, item
    for (const auto &[stretch, item] : stretches) {
      std::erase_if(active, [&](const auto &other) { return other.first <= stretch.first; });
      if (pairs.size() + active.size() > max_pairs) {
        return;
      }
      for (const auto &[end, other] : active) {
        pairs.emplace_back(item, other);
      }
      active.emplace_back(stretch.second, item);
    }
    begin_.assign(items.size() + 1, 0);
    for (auto [a, b] : pairs) {
      ++begin_[a];
      ++begin_[b];
    }
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    neighbours_.resize(2 * pairs.size());
    for (auto [a, b] : pairs) {
      neighbours_[--begin_[a]] = b;
      neighbours_[--begin_[b]] = a;
    }
  }

  bool is_known() const { return !begin_.empty(); }
  // An item that meets another several times is there as often.
  std::span<const std::uint32_t> of(std::uint32_t item) const {
    return std::span(neighbours_).subspan(begin_[item], begin_[item + 1] - begin_[item]);
  }

 private:
  static constexpr std::size_t max_pairs = 10'000'000;
  std::vector<std::uint32_t> begin_, neighbours_;
};

bool meet(const PackingItem &a, const PackingItem &b) {
  for (std::size_t i = 0, j = 0; i < a.needed.size() && j < b.needed.size();) {
    if (a.needed[i].second <= b.needed[j].first) {
      ++i;
    } else if (b.needed[j].second <= a.needed[i].first) {
      ++j;
    } else {
      return true;
    }
  }
  return false;
}

// The smallest gap that takes an item, between blocks given by begin and end, ascending by begin.
class GapFinder {
 public:
  explicit GapFinder(const PackingItem &item) : item_(item) {}

  void pass(std::int64_t begin, std::int64_t end) {
    std::int64_t offset = align_up(top_, item_.alignment);
    if (begin - offset >= item_.size && (best_ < 0 || begin - top_ < best_gap_)) {
      best_ = offset;
      best_gap_ = begin - top_;
    }
    top_ = std::max(top_, end);
  }
  // On top of all if no gap takes it.
  std::int64_t offset() const { return best_ >= 0 ? best_ : align_up(top_, item_.alignment); }

 private:
  const PackingItem &item_;
  std::int64_t top_ = 0, best_ = -1, best_gap_ = 0;
};

Packing best_fit(std::span<const PackingItem> items, const Neighbours &neighbours,
                 std::span<const std::uint32_t> order) {
  Packing packing;
  packing.offsets.assign(items.size(), -1);
  std::vector<std::pair<std::int64_t, std::uint32_t>> placed;  // by offset; only kept without neighbours
  std::vector<Stretch> taken;
  for (std::uint32_t i : order) {
    const PackingItem &item = items[i];
    GapFinder gap(item);
    if (item.size == 0) {
      packing.offsets[i] = 0;
      continue;
    }
    if (neighbours.is_known()) {
      taken.clear();
      for (std::uint32_t other : neighbours.of(i)) {
        if (packing.offsets[other] >= 0) {
          taken.emplace_back(packing.offsets[other], packing.offsets[other] + items[other].size);
        }
      }
      std::ranges::sort(taken);
      for (auto [begin, end] : taken) {
        gap.pass(begin, end);
      }
    } else {
      for (auto [begin, other] : placed) {
        if (meet(item, items[other])) {
          gap.pass(begin, begin + items[other].size);
        }
      }
    }
    std::int64_t offset = packing.offsets[i] = gap.offset();
    packing.size = std::max(packing.size, offset + item.size);
    if (!neighbours.is_known()) {
      placed.insert(std::ranges::lower_bound(placed, std::pair(offset, i)), {offset, i});
    }
  }
  return packing;
}

std::int64_t duration(const PackingItem &item) {
  std::int64_t sum = 0;
  for (auto [begin, end] : item.needed) {
    sum += end - begin;
  }
  return sum;
}

}  // namespace

Packing pack(std::span<const PackingItem> items) {
  constexpr std::size_t max_items_for_all_orders = 20'000;
  Neighbours neighbours(items);
  std::vector<std::int64_t> durations;
  for (const PackingItem &item : items) {
    durations.push_back(duration(item));
  }
  // Falling by key; the item's number decides between equals.
  auto pack_by = [&](auto key) {
    std::vector<std::uint32_t> order(items.size());
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::stable_sort(order, std::greater(), key);
    return best_fit(items, neighbours, order);
  };
  std::int64_t lower_bound = packing_lower_bound(items);
  Packing best = pack_by([&](std::uint32_t i) { return std::pair(items[i].size, durations[i]); });
  auto try_order = [&](auto key) {
    if (best.size > lower_bound && (neighbours.is_known() || items.size() <= max_items_for_all_orders)) {
      Packing other = pack_by(key);
      if (other.size < best.size) {
        best = std::move(other);
      }
    }
  };
  try_order([&](std::uint32_t i) { return std::pair(durations[i], items[i].size); });
  try_order([&](std::uint32_t i) {  // area; floating point, since it may exceed an int64
    return std::pair(static_cast<double>(items[i].size) * static_cast<double>(durations[i]), items[i].size);
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
