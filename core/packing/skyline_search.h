// Skyline search: a packing no higher than a given height, or the proof that there is none.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/packing/problem.h"

namespace bp::packing {

// What the search decides next. Every way is complete; which one is quick depends on the problem.
struct Strategy {
  enum class Place {
    FewestChoices,   // a valley where the fewest items can come next
    Troublesome,     // the same, but rather where many dead ends were found
    LowestTightest,  // the lowest valley; among those, where the least space may be wasted
    ForcedOrLowest,  // a valley where one item at most can come next; else the lowest
    Anywhere,        // by rising offsets, good where there is room
  };
  enum class Order { Longest, Largest, Area };
  Place place = Place::FewestChoices;
  Order order = Order::Longest;  // which item is tried first
  // Which small changes of the order, and which weights of what speaks for an item beside the order. Between equal
  // places, even takes the first, odd the last.
  std::uint64_t variant = 0;
};

// Not thread-safe.
class SkylineSearch {
 public:
  using Clock = std::chrono::steady_clock;
  enum class Outcome { Found, Impossible, GaveUp };

  // Every item has a positive size and no preset offset, and is needed at some time. Keeps no reference to them.
  SkylineSearch(std::span<const Item> items, std::int64_t height);
  ~SkylineSearch();
  // More items, or more that are needed at the same times, than a search could deal with: then run() must not be called.
  bool is_too_large() const;

  // Gives up after about so many steps, a few nanoseconds each, or at the deadline. Dead ends are remembered from one
  // run to the next.
  Outcome run(const Strategy &strategy, std::int64_t steps, Clock::time_point deadline);
  // About how many steps it takes to lay all items once.
  std::int64_t descent() const;
  std::int64_t steps_taken() const;  // by the last run
  // By item; after Found.
  const std::vector<std::int64_t> &offsets() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace bp::packing
