// Strategies: the decisions of a skyline search. Every strategy is complete; which one is fast cannot be predicted, so
// many are tried for a short time.
#pragma once

#include <cstdint>
#include <vector>

namespace bp::packing {

struct Strategy {
  // Valleys: fills the lowest run of equal floors between higher ones; good where little may be wasted. Rising: lays
  // items by ascending offsets, in any section; good where there is room.
  enum class Method { Valleys, Rising };
  Method method = Method::Valleys;
  double tightness = 1e-6;         // weight of a valley's remaining slack against its height
  bool prefers_late = false;       // of valleys with equal scores, takes the last
  double length = 1, size = 0.01;  // weights of the logarithms of an item's duration, in sections, and of its size
  // Bonus for an item that reaches the border of its valley, and an additional one if it ends level with the floor
  // beyond, since it leaves fewer corners to fill. If it is level up to the slack there, it gets at most half of the
  // latter.
  double border = 0, level = 1;
  double waste = 1;  // penalty for an item that wastes all of the slack
  double noise = 0;
  std::uint64_t seed = 0;  // seed of the noise
  // Seeds that each move a few items by at most 1 towards the front or the back of the order.
  std::vector<std::uint64_t> nudges;
};

// Returns the strategies of an endless list; the first ones solved the most of published and modified problems.
// `is_loose`: whether best fit comes within 5% of the height searched for.
Strategy nth_strategy(std::uint64_t n, bool is_loose);

// Returns the strategy with some of its values changed at random, most of them slightly.
Strategy changed(Strategy strategy, std::uint64_t seed);

// Returns the sum of the nudges of an item, which is added to its rank.
double nudge_of(const Strategy &strategy, std::uint32_t item);

}  // namespace bp::packing
