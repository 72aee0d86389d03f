// Best fit: items are placed one after another, each into the smallest gap that it fits into.
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/packing/occupancy.h"
#include "core/packing/problem.h"

namespace bp::packing {

// Packs the same items in several orders. Preset items are placed first in every order; where they overlap each other,
// so does the packing. One order takes time about n * log n * g, where g is the number of gaps at the times of an item;
// there are few gaps where items lie close together. Items that are not placed before the deadline are placed above
// everything that lies there at their times, without a search for gaps.
class BestFit {
 public:
  using Clock = std::chrono::steady_clock;

  // The items must outlive this object.
  explicit BestFit(std::span<const Item> items, Clock::time_point deadline = Clock::time_point::max());

  // Each function is named after the order in which it places items: by decreasing size, decreasing duration or,
  // by_area, decreasing size * duration^power.
  Packing by_size() const;
  // Decreasing size, equal sizes by increasing begin: no more items of one size lie above each other than necessary.
  Packing by_size_and_start() const;
  Packing by_duration() const;
  // Increasing begin, the order in which a running program allocates memory.
  Packing by_start() const;
  Packing by_area(double power) const;
  // Decreasing size. Items that would end above the limit are left out, with offset -1; presets are always placed.
  Packing by_size_below(std::int64_t limit) const;

 private:
  struct Moments {
    std::uint32_t begin, end;
  };
  void find_moments();
  void find_min_gap();
  std::span<const Moments> moments_of(std::uint32_t item) const;
  template <typename Key>
  Packing pack_by(Key key, std::int64_t limit = std::numeric_limits<std::int64_t>::max()) const;
  Packing pack(std::span<const std::uint32_t> order, std::int64_t limit) const;
  std::int64_t offset_in_gap(const Occupancy &occupancy, std::uint32_t item, std::vector<Interval> &taken) const;
  std::int64_t offset_on_top(const Occupancy &occupancy, std::uint32_t item) const;

  std::span<const Item> items_;
  Clock::time_point deadline_;
  std::vector<double> durations_;  // total time each item is needed, by item
  std::size_t moment_count_ = 0;   // number of distinct times at which an item begins
  std::vector<Moments> moments_;   // of all intervals, ordered by item
  // By item: index of its first element in moments_; its elements end where the next item's begin.
  std::vector<std::uint32_t> first_moments_;
  MinGap min_gap_;
};

}  // namespace bp::packing
