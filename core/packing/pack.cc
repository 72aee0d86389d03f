#include "core/packing/pack.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>

#include "core/packing/best_fit.h"
#include "core/packing/ejection.h"
#include "core/packing/portfolio.h"

namespace bp::packing {
namespace {

using Clock = std::chrono::steady_clock;
using Outcome = SkylineSearch::Outcome;

constexpr std::size_t few_items = 2'000;       // for up to this number of items, trying all orders is cheap
constexpr std::ptrdiff_t trial_items = 1'000;  // sample size when there are more
constexpr std::int64_t repairs_per_fit = 50;   // time that repairs need with more items, as a multiple of one best fit
constexpr std::int64_t first_steps = 20'000'000;  // minimum number of steps of the first iteration
constexpr std::int64_t tries_per_iteration = 4;
constexpr std::uint64_t strategies_apart = 1'000;  // offset of the strategy numbers between iterations
// A search whose first tries take more steps than this starts only after iterations of repairs, whose steps double each
// time.
constexpr std::int64_t quick_search = 500'000'000;
constexpr std::int64_t first_patience = 20'000'000, patience_per_item = 10'000;
constexpr std::int64_t steps_to_begin = 10;  // per item, for one repair
// Fractions of the distance from the goal to the best height.
constexpr double smallest_aim = 1.0 / 32, first_aim = 1.0 / 8, largest_aim = 0.5;
constexpr std::int64_t steps_of_aim = 64;

using Order = Packing (*)(const BestFit &);
constexpr std::array orders = {
    Order([](const BestFit &fit) { return fit.by_size(); }),
    Order([](const BestFit &fit) { return fit.by_duration(); }),
    Order([](const BestFit &fit) { return fit.by_start(); }),
    Order([](const BestFit &fit) { return fit.by_size_and_start(); }),
    Order([](const BestFit &fit) { return fit.by_area(0.25); }),
    Order([](const BestFit &fit) { return fit.by_area(1); }),
    Order([](const BestFit &fit) { return fit.by_area(2); }),
};

// Duration of a trial of all orders on two threads, as a multiple of one best fit.
constexpr auto fits_per_trial = static_cast<std::int64_t>((orders.size() + 1) / 2);

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
    if (best_.height > goal_) {
      const bool can_search = collect();
      if (best_.height > goal_) {
        improve(can_search);
      }
    }
    return std::move(best_);
  }

 private:
  bool is_late() const { return Clock::now() >= options_.deadline; }

  // Packs by best fit in several orders. With many items, uses the order that packs a sample of them best, and further
  // orders only if there is time for them and for repairs, which gain more.
  void fit() {
    const BestFit best_fit(items_, options_.deadline);
    if (items_.size() <= few_items) {
      best_ = orders[0](best_fit);
      for (std::size_t i = 1; i < orders.size() && best_.height > goal_ && !is_late(); ++i) {
        offer(orders[i](best_fit));
      }
      return;
    }
    const Clock::time_point begin_of_trial = Clock::now();
    std::vector<std::size_t> ranked = rank_orders();
    const Clock::time_point start = Clock::now();
    const Clock::duration expected =
        (start - begin_of_trial) * static_cast<std::int64_t>(items_.size()) / (trial_items * fits_per_trial);
    if (!has_time_for(expected, start)) {
      std::iota(ranked.begin(), ranked.end(), std::size_t{0});  // by size: items that come too late are small
    }
    best_ = orders[ranked[0]](best_fit);
    const Clock::time_point end = Clock::now();
    if (best_.height <= goal_ || !has_time_for(repairs_per_fit * (end - start), end)) {
      return;
    }
    std::array<Packing, 3> others;
    threads_.parallel(others.size(),
                      [&](std::uint32_t i, std::uint32_t) { others[i] = orders[ranked[i + 1]](best_fit); });
    std::ranges::for_each(others, [&](Packing &other) { offer(std::move(other)); });
  }

  bool has_time_for(Clock::duration work, Clock::time_point now) const {
    return options_.deadline == Clock::time_point::max() || work < options_.deadline - now;
  }

  void offer(Packing other) {
    if (other.height < best_.height) {
      best_ = std::move(other);
    }
  }

  // Returns the indices of the orders, best first, judged on the items that begin in the middle of the program.
  std::vector<std::size_t> rank_orders() {
    std::vector<std::pair<std::int64_t, std::uint32_t>> begins;  // time and item
    for (std::uint32_t i = 0; i < items_.size(); ++i) {
      begins.emplace_back(items_[i].needed.empty() ? 0 : items_[i].needed.front().first, i);
    }
    const auto first = begins.begin() + (std::ssize(begins) - trial_items) / 2, last = first + trial_items;
    std::ranges::nth_element(begins, first);
    std::ranges::nth_element(first, last, begins.end());
    std::vector<Item> part;
    std::transform(first, last, std::back_inserter(part), [&](auto begin) { return items_[begin.second]; });
    const BestFit best_fit(part, options_.deadline);
    std::array<std::int64_t, orders.size()> heights;
    threads_.parallel(orders.size(), [&](std::uint32_t i, std::uint32_t) { heights[i] = orders[i](best_fit).height; });
    std::vector<std::size_t> ranked(orders.size());
    std::iota(ranked.begin(), ranked.end(), std::size_t{0});
    std::ranges::stable_sort(ranked, {}, [&](std::size_t i) { return heights[i]; });
    return ranked;
  }

  // Collects the items that are needed at some time, the input of the search. Returns false if a search cannot help.
  bool collect() {
    const bool has_presets = std::ranges::any_of(items_, [](const Item &item) { return item.preset >= 0; });
    if (has_presets || items_.size() > Skyline::max_items) {
      return false;
    }
    for (std::uint32_t i = 0; i < items_.size(); ++i) {
      if (is_needed(items_[i])) {
        needed_.push_back(items_[i]);
        numbers_.push_back(i);
      }
    }
    // If all items have the same alignment, padding after each item counts as part of its size.
    bool alike = std::ranges::all_of(needed_, [&](const Item &i) { return i.alignment == needed_[0].alignment; });
    for (Item &item : needed_) {
      item.size = alike ? align_up(item.size, item.alignment) : item.size;
    }
    goal_ = std::max(goal_, lower_bound(needed_));
    return true;
  }

  // Works in iterations of increasing length: a search for the goal, a search that approaches the goal from above, and
  // repairs. A large search starts in a late iteration, or never.
  void improve(bool can_search) {
    std::optional<Portfolio> for_goal;
    if (can_search) {
      for_goal.emplace(needed_, goal_, 0, is_loose(goal_));
      can_search = !for_goal->is_too_large();
    }
    const std::int64_t least = can_search ? tries_per_iteration * for_goal->descent() : 0;
    std::int64_t steps = std::max(first_steps, least > quick_search ? 0 : least);
    // About ten heights lie in between; if there is a capacity, reaching it matters more than these.
    const std::int64_t share = options_.capacity > 0 ? 64 : 8;
    for (std::uint64_t iteration = 0; best_.height > goal_ && steps_left_ > 0 && !is_late(); ++iteration) {
      if (can_search && least <= steps) {
        if (impossible_ < goal_) {
          run(*for_goal, goal_, steps);
        }
        bool has_tried = close_in(steps / share, iteration);
        if (!has_tried && impossible_ >= goal_) {
          return;
        }
      }
      repair(steps);
      steps = std::min(2 * steps, steps_left_);
    }
  }

  // Takes out the items above an aim and lays them lower. When that gets stuck, the aim is raised; when the aim is
  // close to the best height, repair starts again from the best packing, with more patience.
  void repair(std::int64_t steps) {
    const std::int64_t end = steps_left_ - std::min(steps, steps_left_);
    if (!ejection_) {
      ejection_.emplace(items_);
      patience_ = first_patience + patience_per_item * static_cast<std::int64_t>(items_.size());
    }
    while (best_.height > goal_ && steps_left_ > end && !is_late()) {
      if (aim_ < 0) {
        ejection_->begin(best_.offsets);
        aim_ = next_aim();
      }
      ejection_->lower(aim_);
      const bool is_done = ejection_->run(aim_, steps_left_ - end, patience_, options_.deadline);
      steps_left_ -= ejection_->steps_taken() + steps_to_begin * static_cast<std::int64_t>(items_.size());
      if (is_done) {
        best_.offsets = ejection_->offsets();
        measure_best();
        aim_share_ = std::min(2 * aim_share_, largest_aim);
        aim_ = next_aim();
      } else if (steps_left_ > end) {
        aim_ += (best_.height - aim_ + 1) / 2;
        if (best_.height - aim_ <= (best_.height - goal_) / steps_of_aim) {
          aim_ = -1;
          aim_share_ = std::max(aim_share_ / 2, smallest_aim);
          patience_ *= 2;
        }
      }
    }
  }

  std::int64_t next_aim() const {
    const double below = aim_share_ * static_cast<double>(best_.height - goal_);
    return best_.height - std::max<std::int64_t>(1, static_cast<std::int64_t>(below));
  }

  // Searches for packings between the goal and the best height by bisection. Returns false if they are already close.
  bool close_in(std::int64_t steps, std::uint64_t iteration) {
    bool has_tried = false;
    std::int64_t low = std::max(goal_, impossible_);
    while (best_.height - low > std::max<std::int64_t>(1, best_.height / 2000) && steps_left_ > 0 && !is_late()) {
      std::int64_t height = low + (best_.height - low) / 2;
      Portfolio between(needed_, height, iteration * strategies_apart, is_loose(height));
      if (run(between, height, steps) != Outcome::Found) {
        low = height;
      }
      has_tried = true;
    }
    return has_tried;
  }

  bool is_loose(std::int64_t height) const { return best_.height - height < height / 20; }

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
    for (std::size_t i = 0; i < needed_.size(); ++i) {
      best_.offsets[numbers_[i]] = offsets[i];
    }
    measure_best();
    aim_ = -1;
  }

  void measure_best() {
    best_.height = 0;
    for (std::size_t i = 0; i < items_.size(); ++i) {
      best_.height = std::max(best_.height, is_needed(items_[i]) ? best_.offsets[i] + items_[i].size : 0);
    }
  }

  std::span<const Item> items_;
  const Options &options_;
  std::int64_t lower_bound_, goal_, steps_left_;
  std::int64_t impossible_ = -1;  // the largest height for which it is proved that there is no packing
  Packing best_;
  std::vector<Item> needed_;
  std::vector<std::uint32_t> numbers_;  // index in items_ of each item in needed_
  ThreadPool threads_{2};
  std::optional<Ejection> ejection_;
  std::int64_t aim_ = -1;  // height that repairs aim at; -1: start from the best packing
  double aim_share_ = first_aim;
  std::int64_t patience_ = 0;
};

}  // namespace

Packing pack(std::span<const Item> items, const Options &options) {
  return Packer(items, options).run();
}

}  // namespace bp::packing
