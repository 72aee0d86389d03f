// Occupancy: which bytes are in use at which times.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace bp::packing {

// The smallest gap that an item still to be placed may need. Ranges of bytes with a smaller gap between them are
// merged.
struct MinGap {
  std::int64_t size = 1, alignment = 1;

  bool is_between(std::int64_t low, std::int64_t high) const;
};

// The union of ranges of bytes, ascending; each gap between them is large enough for some item.
class ByteRanges {
 public:
  using Range = std::pair<std::int64_t, std::int64_t>;  // [begin, end)

  void add(std::int64_t begin, std::int64_t end, MinGap min_gap);
  // Makes the range from 0 to at least `end` taken; the gaps below are forgotten.
  void raise_top(std::int64_t end);
  const std::vector<Range> &ranges() const { return ranges_; }
  std::int64_t top() const { return ranges_.empty() ? 0 : ranges_.back().second; }

 private:
  std::vector<Range> ranges_;
};

// A binary tree over moments, which are numbered from 0.
class Occupancy {
 public:
  Occupancy(std::size_t moment_count, MinGap min_gap);

  // Takes the bytes from `low` to `high` from moment `begin` to before moment `end`.
  void take(std::uint32_t begin, std::uint32_t end, std::int64_t low, std::int64_t high);
  // Takes all bytes below `high`, in constant time at each node. Ranges above `high` stay taken.
  void take_below(std::uint32_t begin, std::uint32_t end, std::int64_t high);
  // Appends the ranges taken at any of these moments, unordered; they may overlap.
  void collect(std::uint32_t begin, std::uint32_t end, std::vector<ByteRanges::Range> &taken) const;
  // Returns the highest end of the ranges taken at these moments.
  std::int64_t top(std::uint32_t begin, std::uint32_t end) const;

 private:
  struct Node {
    ByteRanges always;  // taken at all of its moments, but not at all of its parent's
    ByteRanges ever;    // taken at any of its moments
  };
  template <typename Add>
  void add(std::uint32_t begin, std::uint32_t end, Add add_bytes);
  template <typename Visit>
  void visit(std::uint32_t begin, std::uint32_t end, Visit visit_bytes) const;

  MinGap min_gap_;
  std::uint32_t leaves_;
  std::vector<Node> nodes_;  // the root at 1, children of i at 2i and 2i + 1
};

}  // namespace bp::packing
