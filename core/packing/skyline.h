// Skyline: items laid from the bottom up below a given height, and the room that they leave to the other items. Time is
// cut into sections, in each of which the same items are needed; of adjacent sections, only those are kept whose items
// are not a subset of a neighbour's. The floor of a section is the lowest offset that its next item may have. Its slack
// is the number of bytes that may still be wasted there: height - floor - total size of its items not yet laid.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/packing/problem.h"

namespace bp::packing {

class Skyline {
 public:
  struct Range {
    std::uint32_t begin = 0, end = 0;  // sections
  };

  // A height above any floor.
  static constexpr std::int64_t no_height = std::numeric_limits<std::int64_t>::max();
  // A larger number of items is too much for any search.
  static constexpr std::size_t max_items = 20'000;

  // Every item has a positive size and no preset offset, and is needed at some time. Keeps no reference to the items.
  Skyline(std::span<const Item> items, std::int64_t height);
  // Whether there are more items, or more items needed at the same times, than a search can handle. If so, no other
  // function may be called.
  bool is_too_large() const;

  std::int64_t height() const { return height_; }
  const std::vector<Item> &items() const { return items_; }
  std::uint32_t section_count() const { return static_cast<std::uint32_t>(needed_in_.size()); }
  std::size_t incidences() const { return incidences_; }  // number of pairs of an item and a section it is needed in
  const std::vector<Range> &ranges(std::uint32_t item) const { return ranges_[item]; }
  Range hull(std::uint32_t item) const { return {ranges_[item].front().begin, ranges_[item].back().end}; }
  bool covers(std::uint32_t item, std::uint32_t section) const;
  template <typename Visit>
  void for_each_section(std::uint32_t item, Visit visit) const {
    for (Range range : ranges_[item]) {
      for (std::uint32_t section = range.begin; section < range.end; ++section) {
        visit(section);
      }
    }
  }
  const std::vector<std::uint32_t> &needed_in(std::uint32_t section) const { return needed_in_[section]; }
  const std::vector<std::uint32_t> &beginning_in(std::uint32_t section) const { return beginning_in_[section]; }

  std::int64_t floor(std::uint32_t section) const { return floor_[section]; }
  std::int64_t slack(std::uint32_t section) const { return slack_[section]; }
  std::int64_t lowest(std::uint32_t item) const { return lowest_[item]; }  // lowest offset it may have
  bool is_laid(std::uint32_t item) const { return is_laid_[item] != 0; }
  // Returns the sum over the laid items of size times number of sections.
  double laid_area() const { return laid_area_; }
  bool is_done(std::uint32_t section) const { return coming_in_[section] == 0; }  // no item is left to be laid there
  // Whether an item not yet laid is needed on both sides of the border before that section, or at some time before and
  // some time after it.
  bool is_crossed(std::uint32_t section) const { return crossing_[section] != 0; }
  // By item: the offset where it was last laid, also if it was taken away again.
  const std::vector<std::int64_t> &offsets() const { return offsets_; }
  // Returns a hash of the floors and of the items not yet laid in those sections.
  std::uint64_t hash(Range sections) const;
  // Whether the floors of all its sections are equal to its lowest offset.
  bool is_flat(std::uint32_t item) const;
  // Whether the item can be laid now, and no other item not yet laid fits between it and the floors below it. Then
  // there are only two possibilities: it is laid next, or it lies higher.
  bool may_be_laid(std::uint32_t item) const;

  // Removes all items. Returns false if no packing of this height exists.
  bool clear();
  // Each of these functions returns false if some section would exceed its slack, or an item would lie too high. They
  // raise floors to the lowest offset that any item of the section can have, so that waste is detected early.
  bool lay(std::uint32_t item);
  // Requires that all items not yet laid in these sections lie at or above `floor`.
  bool raise_all(Range sections, std::int64_t floor);
  // Excludes that an item that can lie in that section is laid at its lowest offset. The floors of the adjacent
  // sections must not be lower.
  bool raise_above(std::uint32_t section);

  // rewind() undoes all changes since the call to mark() that returned its argument.
  std::size_t mark() const { return trail_.size(); }
  void rewind(std::size_t mark);

  // Returns about how many nanoseconds all this has taken since clear().
  std::int64_t steps() const { return steps_; }

 private:
  struct Change {
    std::int64_t *place;  // nullptr: the item was laid
    std::int64_t value;   // the previous value
    std::uint32_t item;
  };

  void make_sections();
  bool raise(std::uint32_t section, std::int64_t floor);
  bool lift_items(std::uint32_t section, std::int64_t floor);
  bool close_gaps();
  void count(std::uint32_t item, std::int32_t more);
  void set(std::int64_t &place, std::int64_t value) {
    trail_.push_back({&place, place, 0});
    place = value;
  }

  std::int64_t height_;
  std::size_t incidences_ = 0;
  std::int64_t unit_ = 0;  // greatest common divisor of all sizes and alignments: item ends are multiples of it
  std::vector<Item> items_;
  std::vector<std::vector<Range>> ranges_;                // by item: the sections it is needed in
  std::vector<std::vector<std::uint32_t>> needed_in_;     // by section: items needed in it
  std::vector<std::vector<std::uint32_t>> beginning_in_;  // by section: items whose first section it is

  std::vector<std::int64_t> floor_, slack_;         // by section
  std::vector<std::int64_t> lowest_, offsets_;      // by item
  std::vector<char> is_laid_;                       // by item
  std::vector<std::int32_t> coming_in_, crossing_;  // by section: number of items not yet laid
  std::vector<double> areas_;                       // by item: its size times its number of sections
  double laid_area_ = 0;
  // By section: hash of the items not yet laid whose first section it is.
  std::vector<std::uint64_t> coming_hash_;
  std::vector<Change> trail_;
  mutable std::int64_t steps_ = 0;

  // Temporary data of one step.
  std::vector<std::uint32_t> lifted_;
  std::vector<std::uint32_t> visit_stamps_;  // by section
  std::uint32_t current_stamp_ = 0;
};

}  // namespace bp::packing
