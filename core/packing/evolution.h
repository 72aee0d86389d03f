// Evolution: strategies that got far on a problem are changed slightly and tried again. How far a strategy gets depends
// much more on the problem than on chance, so this converges to strategies that solve it, which new random ones would
// not.
#pragma once

#include <cstdint>
#include <vector>

#include "core/packing/random.h"
#include "core/packing/strategy.h"

namespace bp::packing {

// Equal calls give equal strategies. Not thread-safe.
class Evolution {
 public:
  // New strategies are taken from nth_strategy(), starting with number `first_strategy`.
  Evolution(std::uint64_t first_strategy, bool is_loose)
      : next_new_(first_strategy), is_loose_(is_loose), random_(first_strategy) {}

  // Returns a new strategy, or a changed copy of one of those that got farthest.
  Strategy next();
  // Reports how far a strategy got, as given by SkylineSearch::max_laid().
  void report(Strategy strategy, double laid);

 private:
  struct Tried {
    Strategy strategy;
    double laid = 0;
  };

  std::uint64_t next_new_, count_ = 0;
  bool is_loose_;
  Random random_;
  std::vector<Tried> best_;  // by decreasing `laid`, all different
};

}  // namespace bp::packing
