#include "core/packing/pack.h"

#include <algorithm>

#include "core/packing/best_fit.h"
#include "core/packing/portfolio.h"

namespace bp::packing {
namespace {

using Clock = std::chrono::steady_clock;
using Outcome = SkylineSearch::Outcome;

constexpr std::int64_t first_round = 20'000'000;  // steps, at least
constexpr std::int64_t tries_each_round = 4;
constexpr std::uint64_t strategies_apart = 1'000;  // of what is tried for one height, from round to round

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
    BestFit best_fit(items_, options_.deadline);
    best_ = best_fit.by_size();
    auto offer = [&](Packing other) {
      if (other.height < best_.height) {
        best_ = std::move(other);
      }
    };
    if (best_.height > goal_ && !is_late()) {
      offer(best_fit.by_duration());
    }
    for (double power : {0.25, 1.0, 2.0}) {
      if (best_.height > goal_ && !is_late() && (power == 0.25 || items_.size() <= Skyline::max_items)) {
        offer(best_fit.by_area(power));
      }
    }
  }

  // What the search is about: items that are needed at all. False if it cannot help.
  bool collect() {
    if (items_.size() > Skyline::max_items) {
      return false;
    }
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

  // In rounds that take longer and longer: for the best there can be, and closing in on it from above.
  void search() {
    Portfolio for_goal(needed_, goal_, 0, has_room(goal_));
    if (for_goal.is_too_large()) {
      return;
    }
    std::int64_t steps = std::max(first_round, tries_each_round * for_goal.descent());
    // About ten heights lie between; a capacity matters more than they do.
    const std::int64_t share = options_.capacity > 0 ? 64 : 8;
    for (std::uint64_t round = 0; best_.height > goal_ && steps_left_ > 0 && !is_late(); ++round) {
      if (impossible_ < goal_) {
        run(for_goal, goal_, steps);
      }
      bool has_tried = close_in(steps / share, round);
      if (!has_tried && impossible_ >= goal_) {
        return;
      }
      steps = std::min(2 * steps, steps_left_);
    }
  }

  // Halves the distance again and again. False if it is already small.
  bool close_in(std::int64_t steps, std::uint64_t round) {
    bool has_tried = false;
    std::int64_t low = std::max(goal_, impossible_);
    while (best_.height - low > std::max<std::int64_t>(1, best_.height / 2000) && steps_left_ > 0 && !is_late()) {
      std::int64_t height = low + (best_.height - low) / 2;
      Portfolio between(needed_, height, round * strategies_apart, has_room(height));
      if (run(between, height, steps) != Outcome::Found) {
        low = height;
      }
      has_tried = true;
    }
    return has_tried;
  }

  bool has_room(std::int64_t height) const { return best_.height - height < height / 20; }

  Outcome run(Portfolio &portfolio, std::int64_t height, std::int64_t steps) {
    Outcome outcome = portfolio.run(std::min(steps, steps_left_), options_.deadline, threads_);
    steps_left_ -= portfolio.steps_taken();
    if (outcome == Outcome::Found) {
      take(portfolio.offsets());
    } else if (outcome == Outcome::Impossible) {
      impossible_ = std::max(impossible_, height);
    }
    return outcome;
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
  std::int64_t impossible_ = -1;  // proved: no packing is so low
  Packing best_;
  std::vector<Item> needed_;
  std::vector<std::uint32_t> numbers_;  // of them in items_
  ThreadPool threads_{2};
};

}  // namespace

Packing pack(std::span<const Item> items, const Options &options) {
  return Packer(items, options).run();
}

}  // namespace bp::packing
