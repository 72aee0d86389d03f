#include "core/packing/evolution.h"

#include <algorithm>

namespace bp::packing {
namespace {

constexpr std::uint64_t all_new = 20, new_each = 4;
constexpr std::size_t max_best = 8;

}  // namespace

Strategy Evolution::next() {
  std::uint64_t n = count_++;
  if (n < all_new || n % new_each == 0 || best_.empty()) {
    return nth_strategy(next_new_++, is_loose_);
  }
  std::uint64_t parent = std::min(random_() % best_.size(), random_() % best_.size());
  return changed(best_[parent].strategy, random_());
}

// Among strategies that got equally far, the last one is kept, so that the population keeps changing.
void Evolution::report(Strategy strategy, double laid) {
  auto place = std::ranges::lower_bound(best_, laid, std::greater(), &Tried::laid);
  if (place != best_.end() && place->laid == laid) {
    place->strategy = std::move(strategy);
    return;
  }
  best_.insert(place, {std::move(strategy), laid});
  best_.resize(std::min(best_.size(), max_best));
}

}  // namespace bp::packing
