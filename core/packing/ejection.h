// Ejection: improves a packing. Items that lie too high are laid lower, where the items in their way cost least; those
// are taken out and laid elsewhere in turn.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <vector>

#include "core/packing/problem.h"
#include "core/packing/random.h"

namespace bp::packing {

// Items that are repeatedly in the way of others get a higher cost, so that the same items do not displace each other
// forever (guided ejection search: Nagata and Bräysy 2009). A step looks only at items that are needed at the times of
// one item, so its cost does not depend on the number of items at other times. Not thread-safe.
class Ejection {
 public:
  using Clock = std::chrono::steady_clock;

  // The items must outlive this object.
  explicit Ejection(std::span<const Item> items);

  // Starts again from a packing; presets are never moved.
  void begin(std::span<const std::int64_t> offsets);
  // Takes out all items that end above the height, except presets. Items that were already out stay out.
  void lower(std::int64_t height);
  // Lays all items that are out below the height. Returns false after about `steps` steps of a nanosecond each, when
  // the area that is out has not decreased for `patience` steps, or at the deadline; run() may then be called again,
  // also with another height.
  bool run(std::int64_t height, std::int64_t steps, std::int64_t patience, Clock::time_point deadline);
  std::int64_t steps_taken() const { return steps_; }  // by the last run
  // By item. After run() returned true, this is a packing no higher than the height passed or the end of its highest
  // preset.
  const std::vector<std::int64_t> &offsets() const { return offsets_; }

 private:
  struct Need {
    std::int64_t begin, end;  // times
    std::uint32_t item;
  };
  // The bottom or top of a laid item.
  struct Mark {
    std::int64_t offset;
    double cost;
    std::int32_t is_preset;
  };
  struct Position {
    std::int64_t offset = -1;  // -1: no offset was found
    bool is_free = false;
    // Smaller is better: the size of the gap for a free position, else the total cost of the items in the way.
    double measure = 0;
  };

  void find_concurrent(std::uint32_t item);
  void visit_needs(std::int64_t begin, std::int64_t end);
  Position find_position(std::uint32_t item, std::int64_t height);
  void sort_marks();
  void take_out(std::uint32_t item);
  void lay(std::uint32_t item, Position position);

  std::span<const Item> items_;
  std::vector<Need> needs_;  // by ascending begin
  // Maximum end of needs, as a binary tree: the root at 1, needs from leaves_ on.
  std::vector<std::int64_t> last_end_;
  std::uint32_t leaves_ = 1;
  std::vector<std::int64_t> sizes_, offsets_;  // by item
  std::vector<double> areas_, costs_;          // by item
  std::vector<char> is_laid_;                  // by item
  std::vector<std::uint32_t> out_;             // heap of the items that are out, the one of highest cost on top
  double area_out_ = 0;                        // total area of the items in out_
  Random random_{1};
  std::int64_t steps_ = 0;

  // Temporary data of one step.
  std::vector<std::uint32_t> concurrent_;  // laid items that are needed at some time of the current item
  std::vector<std::uint32_t> stamps_;      // by item: the value of current_stamp_ when it was last added to concurrent_
  std::uint32_t current_stamp_ = 0;
  std::vector<Mark> bottoms_, tops_;  // of the items in concurrent_, ascending
};

}  // namespace bp::packing
