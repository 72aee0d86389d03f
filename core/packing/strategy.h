// Strategies: what a skyline search decides next. Every one is complete; which one is quick is luck, so that many are
// tried for a short time.
#pragma once

#include <cstdint>
#include <vector>

namespace bp::packing {

struct Strategy {
  // Valleys: fills the lowest of the runs of level floors between higher ones; good where little may be wasted.
  // Rising: lays by rising offsets, wherever; good where there is room.
  enum class Place { Valleys, Rising };
  Place place = Place::Valleys;
  double tightness = 1e-6;         // how much waste that is still allowed in a valley counts, compared with its height
  bool prefers_late = false;       // of equal valleys, the last
  double length = 1, size = 0.01;  // how much the logarithms of an item's duration, in sections, and size speak for it
  // An item that reaches to the border of its valley, and still more one that ends level with what is beyond, leaves
  // fewer corners to be filled. Nearly level, by what may be wasted there, counts half.
  double border = 0, level = 1;
  double waste = 1;  // against an item that wastes all that may be wasted
  double noise = 0;
  std::uint64_t seed = 0;  // of the noise
  // Each moves a few items, by as much as 1, towards the front or the back.
  std::vector<std::uint64_t> nudges;
};

// An endless list of strategies, what solved the most of published and changed problems before the rest.
// Where best fit comes close to what is looked for, there is room.
Strategy nth_strategy(std::uint64_t n, bool has_room);

// Some of what it says changed at random, most of it a little.
Strategy changed(Strategy strategy, std::uint64_t seed);

// What the nudges add to an item's rank.
double nudge_of(const Strategy &strategy, std::uint32_t item);

}  // namespace bp::packing
