// Best fit: items are placed one after another, each into the smallest gap that takes it.
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/packing/occupancy.h"
#include "core/packing/problem.h"

namespace bp::packing {

// Packs the same items in several orders. Preset items are placed first, whatever the order; where they overlap each
// other, so does the packing. About n * log n * g per order, g being the gaps at the times of an item, which are few
// where items lie close. What is not placed before the deadline is placed above all that is there at its times, without
// a look at the gaps.
class BestFit {
 public:
  using Clock = std::chrono::steady_clock;

  // The items must outlive this.
  explicit BestFit(std::span<const Item> items, Clock::time_point deadline = Clock::time_point::max());

  // The order in which items are placed: falling size, falling time, falling size * time^power.
  Packing by_size() const;
  // Equal ones from their beginning on: of one size, no more are above each other than have to be.
  Packing by_size_and_start() const;
  Packing by_duration() const;
  // Rising beginning, as memory is given out while a program runs.
  Packing by_start() const;
  Packing by_area(double power) const;
  // By falling size, but what would end above the limit is left out: its offset is -1. Presets are placed in any case.
  Packing by_size_below(std::int64_t limit) const;

 private:
  struct Moments {
    std::uint32_t begin, end;
  };
  void find_moments();
  void find_least_room();
  std::span<const Moments> moments_of(std::uint32_t item) const;
  template <typename Key>
  Packing pack_by(Key key, std::int64_t limit = std::numeric_limits<std::int64_t>::max()) const;
  Packing pack(std::span<const std::uint32_t> order, std::int64_t limit) const;
  std::int64_t offset_in_gap(const Occupancy &occupancy, std::uint32_t item, std::vector<Stretch> &taken) const;
  std::int64_t offset_on_top(const Occupancy &occupancy, std::uint32_t item) const;

  std::span<const Item> items_;
  Clock::time_point deadline_;
  std::vector<double> durations_;             // by item
  std::size_t moment_count_ = 0;              // times at which something begins
  std::vector<Moments> moments_;              // of the stretches of all items, one item after another
  std::vector<std::uint32_t> first_moments_;  // by item, in moments_, up to the next item's
  LeastRoom min_room_;
};

}  // namespace bp::packing
