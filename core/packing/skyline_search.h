// Skyline search: finds a packing no higher than a given height, or proves that there is none.
#pragma once

#include <atomic>
#include <boost/unordered/unordered_flat_set.hpp>
#include <chrono>
#include <cstdint>
#include <span>
#include <vector>

#include "core/packing/problem.h"
#include "core/packing/skyline.h"
#include "core/packing/strategy.h"

namespace bp::packing {

// Not thread-safe.
class SkylineSearch {
 public:
  using Clock = std::chrono::steady_clock;
  enum class Outcome { Found, Impossible, GaveUp };

  // Every item has a positive size and no preset offset, and is needed at some time. Keeps no reference to the items.
  SkylineSearch(std::span<const Item> items, std::int64_t height) : skyline_(items, height) {}
  // If true, run() must not be called.
  bool is_too_large() const { return skyline_.is_too_large(); }

  // Gives up after about `steps` steps of a nanosecond each, when it has made no progress for `patience` steps, or at
  // the deadline. Another thread may lower `steps` meanwhile. Dead ends are remembered between runs.
  Outcome run(const Strategy &strategy, const std::atomic<std::int64_t> &steps, std::int64_t patience,
              Clock::time_point deadline);
  // Returns about how many steps it takes to lay all items once.
  std::int64_t descent() const { return static_cast<std::int64_t>(skyline_.items().size() * skyline_.incidences()); }
  std::int64_t steps_taken() const { return steps_ + skyline_.steps(); }  // by the last run
  // Returns how far the last run got: the maximum of Skyline::laid_area().
  double max_laid() const { return max_laid_; }
  // By item; valid after Outcome::Found.
  const std::vector<std::int64_t> &offsets() const { return skyline_.offsets(); }

 private:
  using Range = Skyline::Range;
  static constexpr std::uint32_t nobody = static_cast<std::uint32_t>(-1);

  // A range of time that is searched independently.
  struct Part {
    Range sections;
    std::uint32_t frame = nobody;  // whose choice created it: if the part has no solution, that choice was wrong
    std::uint32_t next = nobody;   // the part to be searched after this one
  };
  // A valley and the choices for the next item in it.
  struct Frame {
    Range sections;
    std::uint32_t parent = nobody;  // the frame that created the part
    std::uint32_t next_part = nobody, parts_end = 0;
    std::uint32_t valley = nobody;  // a section of the valley; nobody: no valley was chosen
    std::size_t choices_begin = 0, untried_end = 0, choices_end = 0;  // indices in choices_; the last is tried first
    std::size_t mark = 0;                                             // of the skyline, before any choice
    std::uint64_t hash = 0;
  };

  void set_order(const Strategy &strategy);
  bool give_up(const std::atomic<std::int64_t> &steps, std::int64_t patience, Clock::time_point deadline);
  std::uint32_t split(Range sections, std::uint32_t frame, std::uint32_t next);
  bool open(const Part &part);
  bool advance(Frame &frame);
  bool try_choice(const Frame &frame, std::uint32_t choice);
  void collect_choices(Frame &frame);
  std::uint32_t find_valley(Range sections);
  double merit(std::uint32_t item, const Frame &frame) const;
  double merit_of_side(std::uint32_t item, std::uint32_t inside, std::uint32_t beyond) const;
  bool is_equal(std::uint32_t a, std::uint32_t b) const;

  Skyline skyline_;
  Strategy strategy_;
  std::vector<double> rank_;   // by item: preference according to the strategy
  std::vector<double> merit_;  // by item that can come next: the highest is tried first
  boost::unordered_flat_set<std::uint64_t> dead_ends_;
  std::vector<Part> parts_;
  std::vector<Frame> frames_;
  std::vector<std::uint32_t> choices_;
  std::int64_t steps_ = 0, next_look_at_clock_ = 0, last_progress_ = 0;
  double max_laid_ = 0;
  std::vector<std::uint32_t> several_times_;  // items that are needed several times, with intervals in between
  std::vector<char> is_no_valley_;            // by section; used within one step
};

}  // namespace bp::packing
