// Portfolio: many short skyline searches for packings of one height, two at a time.
#pragma once

#include <array>
#include <memory>

#include "core/base/thread_pool.h"
#include "core/packing/evolution.h"
#include "core/packing/skyline_search.h"

namespace bp::packing {

// Equal calls give equal results, independent of thread timing: if two searches succeed, the one with fewer steps
// counts. Not thread-safe.
class Portfolio {
 public:
  using Clock = SkylineSearch::Clock;
  using Outcome = SkylineSearch::Outcome;

  // Parameters and requirements are those of SkylineSearch. Strategies are taken from number `first_strategy` on. Keeps
  // no reference to the items.
  Portfolio(std::span<const Item> items, std::int64_t height, std::uint64_t first_strategy, bool is_loose);
  bool is_too_large() const { return lanes_[0].is_too_large(); }
  std::int64_t descent() const { return lanes_[0].descent(); }

  // Tries further strategies until about `steps` steps of a nanosecond each were taken or the deadline has passed.
  Outcome run(std::int64_t steps, Clock::time_point deadline, ThreadPool &threads);
  std::int64_t steps_taken() const { return steps_; }  // by the last run
  // By item; valid after Outcome::Found.
  const std::vector<std::int64_t> &offsets() const { return lanes_[winner_].offsets(); }

 private:
  Outcome run_next(std::int64_t steps, std::int64_t patience, std::uint32_t lanes, Clock::time_point deadline,
                   ThreadPool &threads);

  std::array<SkylineSearch, 2> lanes_;
  Evolution evolution_;
  std::uint64_t tries_ = 0, patient_tries_ = 0;
  std::uint32_t winner_ = 0;  // index in lanes_
  std::int64_t steps_ = 0;
};

}  // namespace bp::packing
