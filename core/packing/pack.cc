#include "core/packing/pack.h"

#include <algorithm>
#include <array>

#include "core/packing/best_fit.h"
#include "core/packing/skyline_search.h"

namespace bp::packing {
namespace {

using Clock = std::chrono::steady_clock;
using Outcome = SkylineSearch::Outcome;

// In the order in which they get their turns: those that solved the most of published and random problems.
using Place = Strategy::Place;
using Order = Strategy::Order;
constexpr std::array strategies = {
    Strategy{Place::LowestTightest, Order::Longest, 0}, Strategy{Place::FewestChoices, Order::Largest, 0},
    Strategy{Place::Troublesome, Order::Largest, 1},    Strategy{Place::ForcedOrLowest, Order::Largest, 0},
    Strategy{Place::LowestTightest, Order::Longest, 1}, Strategy{Place::FewestChoices, Order::Area, 0},
    Strategy{Place::LowestTightest, Order::Largest, 0}, Strategy{Place::ForcedOrLowest, Order::Longest, 0},
    Strategy{Place::LowestTightest, Order::Longest, 2}, Strategy{Place::FewestChoices, Order::Longest, 1},
    Strategy{Place::Troublesome, Order::Largest, 2},    Strategy{Place::ForcedOrLowest, Order::Largest, 1},
    Strategy{Place::Anywhere, Order::Area, 0},          Strategy{Place::Anywhere, Order::Longest, 0},
};
constexpr std::uint64_t variants_apart = 5;  // of one strategy, from round to round: all of them come up

class Packer {
 public:
  Packer(std::span<const Item> items, const Options &options)
      : items_(items),
        options_(options),
        lower_bound_(lower_bound(items)),
        goal_(std::max(lower_bound_, options.capacity)),
        steps_left_(options.steps) {}

  Packing run() {
    fit();
    if (best_.height > goal_ && collect() && best_.height > goal_) {
      search();
    }
    return std::move(best_);
  }

 private:
  bool is_late() const { return Clock::now() >= options_.deadline; }

  void fit() {
    BestFit best_fit(items_);
    best_ = best_fit.by_size();
    auto offer = [&](Packing other) {
      if (other.height < best_.height) {
        best_ = std::move(other);
      }
    };
    if (best_.height > goal_) {
      offer(best_fit.by_duration());
    }
    constexpr std::size_t many = 20'000;
    for (double power : {0.25, 1.0, 2.0}) {
      if (best_.height > goal_ && !is_late() && (power == 0.25 || items_.size() <= many)) {
        offer(best_fit.by_area(power));
      }
    }
  }

  // What the search is about: items that are needed at all. False if it cannot help.
  bool collect() {
    for (std::uint32_t i = 0; i < items_.size(); ++i) {
      const Item &item = items_[i];
      bool is_needed = std::ranges::any_of(item.needed, [](Stretch s) { return s.first < s.second; });
      if (item.preset >= 0) {
        return false;
      }
      if (item.size > 0 && is_needed) {
        needed_.push_back(item);
        numbers_.push_back(i);
      }
    }
    // Where all are aligned alike, what is lost behind each item counts as part of it.
    bool alike = std::ranges::all_of(needed_, [&](const Item &i) { return i.alignment == needed_[0].alignment; });
    for (Item &item : needed_) {
      item.size = alike ? align_up(item.size, item.alignment) : item.size;
    }
    goal_ = std::max(goal_, lower_bound(needed_));
    return true;
  }

  void search() {
    // Half of the effort for the best there can be; the rest closes in on it from above.
    std::int64_t low = goal_;
    Outcome outcome = search(goal_, options_.capacity > 0 ? steps_left_ : steps_left_ / 2);
    while (outcome != Outcome::Found && options_.capacity == 0 && steps_left_ > 0 && !is_late() &&
           best_.height - low > std::max<std::int64_t>(1, best_.height / 2000)) {
      std::int64_t height = low + (best_.height - low) / 2;
      if (search(height, steps_left_ / 4 + 1'000'000) != Outcome::Found) {
        low = height;
      }
    }
  }

  // Every strategy in turn with a little time, then with more.
  Outcome search(std::int64_t height, std::int64_t steps) {
    SkylineSearch skyline(needed_, height);
    if (skyline.is_too_large()) {
      steps_left_ = 0;
      return Outcome::GaveUp;
    }
    std::int64_t steps_each = std::max<std::int64_t>(2 * skyline.descent(), 1'000'000);
    // Where best fit comes close, there is room.
    auto order = strategies;
    if (best_.height - height < height / 20) {
      std::ranges::stable_partition(
          order, [](const Strategy &s) { return s.place == Place::Anywhere || s.place == Place::Troublesome; });
    }
    for (std::uint64_t round = 0; steps > 0; ++round) {
      for (Strategy strategy : order) {
        strategy.variant += variants_apart * round;
        std::int64_t most = std::min(steps, steps_each);
        Outcome outcome = skyline.run(strategy, most, options_.deadline);
        steps -= skyline.steps_taken();
        steps_left_ -= skyline.steps_taken();
        if (outcome == Outcome::Found) {
          take(skyline.offsets());
        }
        if (outcome != Outcome::GaveUp || steps <= 0 || is_late()) {
          return outcome;
        }
      }
      steps_each += steps_each / 2;
    }
    return Outcome::GaveUp;
  }

  void take(const std::vector<std::int64_t> &offsets) {
    best_.offsets.assign(items_.size(), 0);
    best_.height = 0;
    for (std::size_t i = 0; i < needed_.size(); ++i) {
      best_.offsets[numbers_[i]] = offsets[i];
      best_.height = std::max(best_.height, offsets[i] + items_[numbers_[i]].size);
    }
  }

  std::span<const Item> items_;
  const Options &options_;
  std::int64_t lower_bound_, goal_, steps_left_;
  Packing best_;
  std::vector<Item> needed_;
  std::vector<std::uint32_t> numbers_;  // of them in items_
};

}  // namespace

Packing pack(std::span<const Item> items, const Options &options) {
  return Packer(items, options).run();
}

}  // namespace bp::packing
