// Best fit: items are placed one after another, each into the smallest gap that takes it.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/packing/problem.h"

namespace bp::packing {

// Packs the same items in several orders. Preset items are placed first, whatever the order; where they overlap each
// other, so does the packing. About n * (log n + k log k) per order, k being how many items are needed together with one.
class BestFit {
 public:
  // The items must outlive this.
  explicit BestFit(std::span<const Item> items);

  // The order in which items are placed: falling size, falling time, falling size * time^power.
  Packing by_size() const;
  Packing by_duration() const;
  Packing by_area(double power) const;
  // By falling size, but what would end above the limit is left out: its offset is -1. Presets are placed in any case.
  Packing by_size_below(std::int64_t limit) const;

 private:
  struct Span {
    std::int64_t begin, end, size;
    std::uint32_t item;
  };
  template <typename Key>
  Packing pack_by(Key key, std::int64_t limit = std::numeric_limits<std::int64_t>::max()) const;
  Packing pack(std::span<const std::uint32_t> order, std::int64_t limit) const;
  template <typename Visit>
  void for_each_meeting(const Span &span, Visit visit) const;

  std::span<const Item> items_;
  std::vector<double> durations_;                        // by item
  std::vector<Span> spans_;                              // all stretches, by begin: what meets lies close together
  std::vector<std::uint32_t> spans_of_, first_span_of_;  // by item, its spans from its first to the next item's first
  // A binary tree over leaves of spans: the latest end below each node, the root at 1.
  std::vector<std::int64_t> latest_;
};

}  // namespace bp::packing
