// Two items meet if one of them begins while the other is needed, so only the times at which an item begins matter.
#include "core/packing/best_fit.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace bp::packing {
namespace {

constexpr std::size_t items_per_look_at_clock = 64;

bool takes_room(const Item &item, Interval interval) {
  return interval.first < interval.second && item.size > 0;
}

// Finds the smallest gap that an item fits into, between blocks given by begin and end in ascending order of begin.
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
  // Returns the offset in the gap found, or the first aligned one above all blocks if the item fits into no gap.
  std::int64_t offset() const { return best_ >= 0 ? best_ : align_up(top_, item_.alignment); }

 private:
  const Item &item_;
  std::int64_t top_ = 0, best_ = -1, best_gap_ = 0;
};

}  // namespace

BestFit::BestFit(std::span<const Item> items, Clock::time_point deadline) : items_(items), deadline_(deadline) {
  durations_.reserve(items.size());
  for (const Item &item : items) {
    double duration = 0;
    for (auto [begin, end] : item.needed) {
      duration += static_cast<double>(end) - static_cast<double>(begin);
    }
    durations_.push_back(duration);
  }
  find_moments();
  find_min_gap();
}

void BestFit::find_moments() {
  std::vector<std::int64_t> begins;
  for (const Item &item : items_) {
    for (Interval interval : item.needed) {
      if (takes_room(item, interval)) {
        begins.push_back(interval.first);
      }
    }
  }
  std::ranges::sort(begins);
  begins.erase(std::unique(begins.begin(), begins.end()), begins.end());
  moment_count_ = begins.size();
  auto moment = [&](std::int64_t time) {
    return static_cast<std::uint32_t>(std::ranges::lower_bound(begins, time) - begins.begin());
  };
  for (const Item &item : items_) {
    first_moments_.push_back(static_cast<std::uint32_t>(moments_.size()));
    for (Interval interval : item.needed) {
      if (takes_room(item, interval)) {
        moments_.push_back({moment(interval.first), moment(interval.second)});
      }
    }
  }
  first_moments_.push_back(static_cast<std::uint32_t>(moments_.size()));
}

void BestFit::find_min_gap() {
  std::int64_t size = std::numeric_limits<std::int64_t>::max(), alignment = 0;
  for (std::uint32_t i = 0; i < items_.size(); ++i) {
    if (items_[i].preset < 0 && !moments_of(i).empty()) {
      size = std::min(size, items_[i].size);
      alignment = std::gcd(alignment, items_[i].alignment);
    }
  }
  if (alignment > 0) {
    min_gap_ = {size, alignment};
  }
}

std::span<const BestFit::Moments> BestFit::moments_of(std::uint32_t item) const {
  return std::span(moments_).subspan(first_moments_[item], first_moments_[item + 1] - first_moments_[item]);
}

std::int64_t BestFit::offset_in_gap(const Occupancy &occupancy, std::uint32_t item,
                                    std::vector<Interval> &taken) const {
  taken.clear();
  for (auto [begin, end] : moments_of(item)) {
    occupancy.collect(begin, end, taken);
  }
  std::ranges::sort(taken);
  GapFinder gap(items_[item]);
  for (auto [begin, end] : taken) {
    gap.pass(begin, end);
  }
  return gap.offset();
}

std::int64_t BestFit::offset_on_top(const Occupancy &occupancy, std::uint32_t item) const {
  std::int64_t top = 0;
  for (auto [begin, end] : moments_of(item)) {
    top = std::max(top, occupancy.top(begin, end));
  }
  return align_up(top, items_[item].alignment);
}

Packing BestFit::pack(std::span<const std::uint32_t> order, std::int64_t limit) const {
  Packing packing;
  packing.offsets.assign(items_.size(), 0);
  Occupancy occupancy(moment_count_, min_gap_);
  bool is_late = false;
  auto place = [&](std::uint32_t item, std::int64_t offset) {
    const std::int64_t top = offset + items_[item].size;
    packing.offsets[item] = offset;
    for (auto [begin, end] : moments_of(item)) {
      if (is_late) {  // gaps are not searched again
        occupancy.take_below(begin, end, top);
      } else {
        occupancy.take(begin, end, offset, top);
      }
      packing.height = std::max(packing.height, top);
    }
  };
  for (std::uint32_t i = 0; i < items_.size(); ++i) {
    if (items_[i].preset >= 0) {
      place(i, items_[i].preset);
    }
  }
  std::vector<Interval> taken;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::uint32_t item = order[i];
    if (items_[item].preset >= 0) {
      continue;
    }
    is_late = is_late || (i % items_per_look_at_clock == 0 && Clock::now() >= deadline_);
    const std::int64_t offset = is_late ? offset_on_top(occupancy, item) : offset_in_gap(occupancy, item, taken);
    if (offset > limit - items_[item].size) {
      packing.offsets[item] = -1;
    } else {
      place(item, offset);
    }
  }
  return packing;
}

// Places items by decreasing key; equal keys by item number.
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

Packing BestFit::by_size_and_start() const {
  return pack_by([&](std::uint32_t i) {
    const std::vector<Interval> &needed = items_[i].needed;
    return std::pair(items_[i].size,
                     needed.empty() ? std::int64_t{0} : -static_cast<std::int64_t>(needed.front().first));
  });
}

Packing BestFit::by_start() const {
  return pack_by([&](std::uint32_t i) {
    const std::vector<Interval> &needed = items_[i].needed;
    return std::pair(needed.empty() ? std::int64_t{0} : -static_cast<std::int64_t>(needed.front().first),
                     items_[i].size);
  });
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
