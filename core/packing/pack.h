// Pack: finds the best packing within a given effort.
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <span>

#include "core/packing/problem.h"

namespace bp::packing {

struct Options {
  // A packing no higher than this is good enough. 0: the goal is the lower bound.
  std::int64_t capacity = 0;
  // Cost limit of the search, in steps of about a nanosecond. Best fit runs first and is not counted: it takes about
  // ten microseconds per item, and more where many gaps are left.
  std::int64_t steps = 200'000'000;
  // Also limits best fit. Items left at that time are placed above the others.
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
};

// Tries best fit in several orders first, so that the result is never worse than the best of them (with more than 2,000
// items, only the orders that pack a sample of them best, as far as the deadline allows). Then runs skyline search for
// the lower bound or the capacity and, if that fails, for heights in between; and repairs by ejection, which run before
// the search where the problem is too large to be searched soon. Equal items and options give equal packings, unless
// the deadline ends the search; more steps or a later deadline never give a worse one. Presets are kept; if they
// overlap each other, so does the packing.
Packing pack(std::span<const Item> items, const Options &options = {});

}  // namespace bp::packing
