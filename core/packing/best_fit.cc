// Which items meet an item is found in a tree of all stretches: those that begin before its end are a prefix, and of
// these, whole branches that end before its begin are left out.
#include "core/packing/best_fit.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

namespace bp::packing {
namespace {

constexpr std::size_t leaf_size = 8;

// The smallest gap that takes an item, between blocks given by begin and end, ascending by begin.
class GapFinder {
 public:
  explicit GapFinder(const Item &item) : item_(item) {}

  void pass(std::int64_t begin, std::int64_t end) {
    if (begin - top_ >= item_.size && (best_ < 0 || begin - top_ < best_gap_)) {
      std::int64_t offset = align_up(top_, item_.alignment);
      if (begin - offset >= item_.size) {
        best_ = offset;
        best_gap_ = begin - top_;
      }
    }
    top_ = std::max(top_, end);
  }
  // On top of all if no gap takes it.
  std::int64_t offset() const { return best_ >= 0 ? best_ : align_up(top_, item_.alignment); }

 private:
  const Item &item_;
  std::int64_t top_ = 0, best_ = -1, best_gap_ = 0;
};

}  // namespace

BestFit::BestFit(std::span<const Item> items) : items_(items) {
  durations_.reserve(items.size());
  for (std::uint32_t i = 0; i < items.size(); ++i) {
    double duration = 0;
    for (auto [begin, end] : items[i].needed) {
      duration += static_cast<double>(end) - static_cast<double>(begin);
      if (begin < end && items[i].size > 0) {
        spans_.push_back({begin, end, items[i].size, i});
      }
    }
    durations_.push_back(duration);
  }
  std::ranges::sort(spans_, {}, [](const Span &span) { return std::tuple(span.begin, span.end, span.item); });
  std::size_t leaves = std::bit_ceil((spans_.size() + leaf_size - 1) / leaf_size);
  latest_.assign(2 * leaves, std::numeric_limits<std::int64_t>::min());
  for (std::size_t i = 0; i < spans_.size(); ++i) {
    std::int64_t &latest = latest_[leaves + i / leaf_size];
    latest = std::max(latest, spans_[i].end);
  }
  for (std::size_t node = leaves; --node > 0;) {
    latest_[node] = std::max(latest_[2 * node], latest_[2 * node + 1]);
  }
  first_span_of_.assign(items.size() + 1, 0);
  for (const Span &span : spans_) {
    ++first_span_of_[span.item + 1];
  }
  std::partial_sum(first_span_of_.begin(), first_span_of_.end(), first_span_of_.begin());
  spans_of_.resize(spans_.size());
  std::vector<std::uint32_t> next = first_span_of_;
  for (std::uint32_t i = 0; i < spans_.size(); ++i) {
    spans_of_[next[spans_[i].item]++] = i;
  }
}

// Numbers of all spans that meet that one.
template <typename Visit>
void BestFit::for_each_meeting(const Span &span, Visit visit) const {
  auto first_after = std::ranges::lower_bound(spans_, span.end, {}, &Span::begin);
  auto spans_before = static_cast<std::size_t>(first_after - spans_.begin());
  std::size_t leaves = latest_.size() / 2, leaves_before = (spans_before + leaf_size - 1) / leaf_size;
  auto walk = [&](auto &&self, std::size_t node, std::size_t first_leaf, std::size_t count) -> void {
    if (first_leaf >= leaves_before || latest_[node] <= span.begin) {
      return;
    }
    if (count > 1) {
      self(self, 2 * node, first_leaf, count / 2);
      self(self, 2 * node + 1, first_leaf + count / 2, count / 2);
      return;
    }
    std::size_t end = std::min(first_leaf * leaf_size + leaf_size, spans_before);
    for (std::size_t i = first_leaf * leaf_size; i < end; ++i) {
      if (spans_[i].end > span.begin) {
        visit(i);
      }
    }
  };
  walk(walk, 1, 0, leaves);
}

Packing BestFit::pack(std::span<const std::uint32_t> order, std::int64_t limit) const {
  Packing packing;
  packing.offsets.assign(items_.size(), 0);
  std::vector<std::int64_t> offsets(spans_.size(), -1);  // by span; -1: not placed
  std::vector<Stretch> taken;
  auto place = [&](std::uint32_t item, std::int64_t offset) {
    packing.offsets[item] = offset;
    for (std::uint32_t i = first_span_of_[item]; i < first_span_of_[item + 1]; ++i) {
      offsets[spans_of_[i]] = offset;
      packing.height = std::max(packing.height, offset + items_[item].size);
    }
  };
  for (std::uint32_t i = 0; i < items_.size(); ++i) {
    if (items_[i].preset >= 0) {
      place(i, items_[i].preset);
    }
  }
  for (std::uint32_t item : order) {
    if (items_[item].preset >= 0) {
      continue;
    }
    taken.clear();
    for (std::uint32_t i = first_span_of_[item]; i < first_span_of_[item + 1]; ++i) {
      for_each_meeting(spans_[spans_of_[i]], [&](std::size_t other) {
        if (offsets[other] >= 0) {
          taken.emplace_back(offsets[other], offsets[other] + spans_[other].size);
        }
      });
    }
    std::ranges::sort(taken);
    GapFinder gap(items_[item]);
    for (auto [begin, end] : taken) {
      gap.pass(begin, end);
    }
    if (gap.offset() > limit - items_[item].size) {
      packing.offsets[item] = -1;
    } else {
      place(item, gap.offset());
    }
  }
  return packing;
}

// Falling by key; the item's number decides between equals.
template <typename Key>
Packing BestFit::pack_by(Key key, std::int64_t limit) const {
  std::vector<std::uint32_t> order(items_.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, std::greater(), key);
  return pack(order, limit);
}

Packing BestFit::by_size() const {
  return pack_by([&](std::uint32_t i) { return std::pair(items_[i].size, durations_[i]); });
}

Packing BestFit::by_size_below(std::int64_t limit) const {
  return pack_by([&](std::uint32_t i) { return std::pair(items_[i].size, durations_[i]); }, limit);
}

Packing BestFit::by_duration() const {
  return pack_by([&](std::uint32_t i) { return std::pair(durations_[i], items_[i].size); });
}

Packing BestFit::by_area(double power) const {
  return pack_by([&](std::uint32_t i) {
    return std::pair(static_cast<double>(items_[i].size) * std::pow(durations_[i], power), items_[i].size);
  });
}

}  // namespace bp::packing
