// Pack: the best packing that a given effort finds.
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <span>

#include "core/packing/problem.h"

namespace bp::packing {

struct Options {
  // A packing no higher than this is good enough; at least the lower bound is always aimed at if it is 0.
  std::int64_t capacity = 0;
  // What the search may cost, in steps of about a nanosecond. Best fit comes before and is not counted: it takes some
  // ten microseconds per item, and more where many gaps are left.
  std::int64_t steps = 200'000'000;
  // Holds for best fit, too. What is left then lies above the rest.
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
};

// Best fit in several orders first, so that the result is never worse than the best of them (of more than 2,000 items,
// those orders that pack a part of them best, as far as the deadline lets them); then skyline search, for the lower
// bound or the capacity, and if that is not found, for heights in between; and repairs by ejection, which come first
// where there is too much to be searched. Equal items and options give equal packings, unless the deadline ends the
// search; more steps or a later deadline never give a worse one. Presets are kept; if they overlap each other, so does
// the packing.
Packing pack(std::span<const Item> items, const Options &options = {});

}  // namespace bp::packing
