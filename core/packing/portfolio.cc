#include "core/packing/portfolio.h"

#include <algorithm>
#include <bit>

namespace bp::packing {
namespace {

constexpr std::uint64_t tries_alone = 2;  // tries that run before a second thread is worth its cost
constexpr std::int64_t min_steps = 300'000, descents_each = 4;
// Most tries end early, when they get stuck far from the end; a few continue, since only these can prove anything.
constexpr std::int64_t patience_per_descent = 10;
constexpr std::uint64_t patient_first = 16, patient_each = 64;

// The sequence 1 1 2 1 1 2 4 1 1 2 1 1 2 4 8 ...: never far from the optimal length of a try, which is unknown (Luby,
// Sinclair and Zuckerman 1993).
std::int64_t luby(std::uint64_t n) {
  while (!std::has_single_bit(n + 2)) {
    n -= std::bit_floor(n + 2) - 1;
  }
  return static_cast<std::int64_t>((n + 2) / 2);
}

}  // namespace

Portfolio::Portfolio(std::span<const Item> items, std::int64_t height, std::uint64_t first_strategy, bool is_loose)
    : lanes_{SkylineSearch(items, height), SkylineSearch(items, height)}, evolution_(first_strategy, is_loose) {}

Portfolio::Outcome Portfolio::run(std::int64_t steps, Clock::time_point deadline, ThreadPool &threads) {
  steps_ = 0;
  const std::int64_t descent = std::max(lanes_[0].descent(), min_steps);
  while (steps_ < steps) {
    std::uint32_t lanes = tries_ < tries_alone ? 1 : 2;
    bool is_patient = tries_ < patient_first || tries_ % patient_each == 0;
    std::int64_t length = descent * (is_patient ? luby(patient_tries_++) : descents_each);
    std::int64_t patience = is_patient ? length : descent / patience_per_descent;
    ++tries_;
    Outcome outcome =
        run_next(std::min(length, (steps - steps_ + lanes - 1) / lanes), patience, lanes, deadline, threads);
    if (outcome != Outcome::GaveUp || Clock::now() >= deadline) {
      return outcome;
    }
  }
  return Outcome::GaveUp;
}

Portfolio::Outcome Portfolio::run_next(std::int64_t steps, std::int64_t patience, std::uint32_t lanes,
                                       Clock::time_point deadline, ThreadPool &threads) {
  std::array<Strategy, 2> strategies;
  std::generate_n(strategies.begin(), lanes, [&] { return evolution_.next(); });
  std::array<std::atomic<std::int64_t>, 2> limits = {steps, steps};
  std::array<Outcome, 2> outcomes = {Outcome::GaveUp, Outcome::GaveUp};
  threads.parallel(lanes, [&](std::uint32_t lane, std::uint32_t) {
    outcomes[lane] = lanes_[lane].run(strategies[lane], limits[lane], patience, deadline);
    if (outcomes[lane] != Outcome::GaveUp) {
      limits[1 - lane].store(lanes_[lane].steps_taken(), std::memory_order_relaxed);
    }
  });
  auto has_ended = [&](std::uint32_t lane) { return outcomes[lane] != Outcome::GaveUp; };
  winner_ = 0;
  if (has_ended(1) && (!has_ended(0) || lanes_[1].steps_taken() < lanes_[0].steps_taken())) {
    winner_ = 1;
  }
  if (has_ended(winner_)) {
    steps_ += lanes * lanes_[winner_].steps_taken();
  } else {
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
      evolution_.report(std::move(strategies[lane]), lanes_[lane].max_laid());
      steps_ += lanes_[lane].steps_taken();
    }
  }
  return outcomes[winner_];
}

}  // namespace bp::packing
