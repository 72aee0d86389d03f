// Skyline: items laid from the bottom up below a given height, and what that leaves to the others.
// Time is cut into sections, in each of which the same items are needed; of neighbours, only those are kept whose items
// are not all needed in the other too. The floor of a section is where its next item may lie at the lowest, its slack is
// what may still be wasted there: height - floor - all sizes to come.
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
    std::uint32_t begin = 0, end = 0;  // of sections
  };

  // Higher than any floor.
  static constexpr std::int64_t no_height = std::numeric_limits<std::int64_t>::max();
  // More than that are too many for any search.
  static constexpr std::size_t max_items = 20'000;

  // Every item has a positive size and no preset offset, and is needed at some time. Keeps no reference to them.
  Skyline(std::span<const Item> items, std::int64_t height);
  // More items, or more that are needed at the same times, than a search could deal with: nothing else may be called.
  bool is_too_large() const;

  std::int64_t height() const { return height_; }
  const std::vector<Item> &items() const { return items_; }
  std::uint32_t section_count() const { return static_cast<std::uint32_t>(needed_in_.size()); }
  std::size_t incidences() const { return incidences_; }  // of items and sections
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
  std::int64_t lowest(std::uint32_t item) const { return lowest_[item]; }  // where it may lie at the lowest
  bool is_laid(std::uint32_t item) const { return is_laid_[item] != 0; }
  // How much is laid: the sizes of these items, in each of their sections.
  double laid_area() const { return laid_area_; }
  bool is_done(std::uint32_t section) const { return coming_in_[section] == 0; }  // nothing is to come there
  // An item to come is needed on both sides of the border before that section, or before and after it.
  bool is_crossed(std::uint32_t section) const { return crossing_[section] != 0; }
  // By item, where it was laid; also after it was taken away again.
  const std::vector<std::int64_t> &offsets() const { return offsets_; }
  // Of the floors and the items to come in those sections.
  std::uint64_t hash(Range sections) const;
  // All its floors are level.
  bool is_flat(std::uint32_t item) const;
  // It can be laid, and no item to come fits between it and the floors below it: that it is laid next, or lies higher,
  // are all the possibilities.
  bool can_lie(std::uint32_t item) const;

  // Nothing is laid. False if that cannot end well.
  bool clear();
  // Each of these is false if some section would waste more than it may, or an item would lie too high. Floors rise with
  // them to the lowest place that any item of their section can have, so that waste shows early.
  bool lay(std::uint32_t item);
  // Nothing of what is to come in these sections lies lower than that.
  bool raise_all(Range sections, std::int64_t floor);
  // None of the items that can lie in that section lies at its lowest place, where the floors beside it are not lower.
  bool raise_above(std::uint32_t section);

  // Takes back what was done since.
  std::size_t mark() const { return trail_.size(); }
  void rewind(std::size_t mark);

  // About how many nanoseconds all this has taken since clear().
  std::int64_t steps() const { return steps_; }

 private:
  struct Change {
    std::int64_t *place;  // or nothing: the item was laid
    std::int64_t value;   // before
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
  std::int64_t unit_ = 0;  // divides all sizes, so that ends differ by as much
  std::vector<Item> items_;
  std::vector<std::vector<Range>> ranges_;                // by item: its sections
  std::vector<std::vector<std::uint32_t>> needed_in_;     // by section: its items
  std::vector<std::vector<std::uint32_t>> beginning_in_;  // by section: the items whose first it is

  std::vector<std::int64_t> floor_, slack_;         // by section
  std::vector<std::int64_t> lowest_, offsets_;      // by item
  std::vector<char> is_laid_;                       // by item
  std::vector<std::int32_t> coming_in_, crossing_;  // by section: items that are not laid
  std::vector<double> areas_;                       // by item: its size in all its sections
  double laid_area_ = 0;
  std::vector<std::uint64_t> coming_hash_;  // by section: of those that begin in it
  std::vector<Change> trail_;
  mutable std::int64_t steps_ = 0;

  // Used within one step.
  std::vector<std::uint32_t> lifted_;
  std::vector<std::uint32_t> touched_at_;  // by section
  std::uint32_t touch_ = 0;
};

}  // namespace bp::packing
