// Ejection: repairs a packing. What lies too high is laid lower, where the least is in its way; that is taken out, and
// laid elsewhere in its turn.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <vector>

#include "core/packing/problem.h"
#include "core/packing/random.h"

namespace bp::packing {

// What is in the way of others again and again becomes dear, so that the same items do not chase each other for ever
// (guided ejection search: Nagata and Bräysy 2009). A step looks at what is needed at the times of one item, so that it
// costs no more where there are many items at other times. Not thread-safe.
class Ejection {
 public:
  using Clock = std::chrono::steady_clock;

  // The items must outlive this.
  explicit Ejection(std::span<const Item> items);

  // Begins again, from a packing; presets are never moved.
  void begin(std::span<const std::int64_t> offsets);
  // Takes out what ends above the height, but for presets. What was out before stays out.
  void lower(std::int64_t height);
  // Lays all that is out below that height. False after about so many steps of a nanosecond, when no less has been out
  // for `patience` steps, or at the deadline; it may then be called again, also with another height.
  bool run(std::int64_t height, std::int64_t steps, std::int64_t patience, Clock::time_point deadline);
  std::int64_t steps_taken() const { return steps_; }  // by the last run
  // By item; after run() was true, a packing no higher than asked for, or than its presets.
  const std::vector<std::int64_t> &offsets() const { return offsets_; }

 private:
  struct Need {
    std::int64_t begin, end;  // of time
    std::uint32_t item;
  };
  // An end of an item.
  struct Mark {
    std::int64_t offset;
    double cost;
    std::int32_t is_preset;
  };
  struct Place {
    std::int64_t offset = -1;  // -1: there is none
    bool is_free = false;
    double measure = 0;  // what is to be small: of a free place its length, of others the cost of what is in the way
  };

  void find_met(std::uint32_t item);
  void visit_met(std::int64_t begin, std::int64_t end);
  Place find_place(std::uint32_t item, std::int64_t height);
  void sort_marks();
  void take_out(std::uint32_t item);
  void lay(std::uint32_t item, Place place);

  std::span<const Item> items_;
  std::vector<Need> needs_;             // by rising begin
  std::vector<std::int64_t> last_end_;  // of needs, as a binary tree: the root at 1, needs from leaves_ on
  std::uint32_t leaves_ = 1;
  std::vector<std::int64_t> sizes_, offsets_;  // by item
  std::vector<double> areas_, costs_;          // by item
  std::vector<char> is_laid_;                  // by item
  std::vector<std::uint32_t> out_;             // a heap, the dearest on top
  double area_out_ = 0;                        // of these
  Random random_{1};
  std::int64_t steps_ = 0;

  // Used within one step.
  std::vector<std::uint32_t> met_;     // laid items that are needed at some time of the item
  std::vector<std::uint32_t> met_at_;  // by item
  std::uint32_t meeting_ = 0;
  std::vector<Mark> bottoms_, tops_;  // of these, ascending
};

}  // namespace bp::packing
