// Occupancy: which bytes are taken when.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace bp::packing {

// What an item to come needs at least. Where that does not fit in between, ranges of bytes are one.
struct LeastRoom {
  std::int64_t size = 1, alignment = 1;

  bool is_between(std::int64_t low, std::int64_t high) const;
};

// Ranges of bytes as their union: ascending, with room between each and the next.
class ByteRanges {
 public:
  using Range = std::pair<std::int64_t, std::int64_t>;  // [begin, end)

  void add(std::int64_t begin, std::int64_t end, LeastRoom least);
  // Up to there at least; gaps below are forgotten.
  void raise_top(std::int64_t end);
  const std::vector<Range> &ranges() const { return ranges_; }
  std::int64_t top() const { return ranges_.empty() ? 0 : ranges_.back().second; }

 private:
  std::vector<Range> ranges_;
};

// A binary tree over moments, which are numbered from 0 on.
class Occupancy {
 public:
  Occupancy(std::size_t moment_count, LeastRoom least);

  // From one moment to before another.
  void take(std::uint32_t begin, std::uint32_t end, std::int64_t low, std::int64_t high);
  // All below `high`, in constant time at each node. What lies above that already stays.
  void take_below(std::uint32_t begin, std::uint32_t end, std::int64_t high);
  // Adds what is taken at some of those moments, in no order; ranges may overlap.
  void collect(std::uint32_t begin, std::uint32_t end, std::vector<ByteRanges::Range> &taken) const;
  // The end of what is taken there.
  std::int64_t top(std::uint32_t begin, std::uint32_t end) const;

 private:
  struct Node {
    ByteRanges always;  // what was taken for all of its moments, but not for all of its parent's
    ByteRanges ever;    // for some of its moments
  };
  template <typename Add>
  void add(std::uint32_t begin, std::uint32_t end, Add add_bytes);
  template <typename Visit>
  void visit(std::uint32_t begin, std::uint32_t end, Visit visit_bytes) const;

  LeastRoom least_;
  std::uint32_t leaves_;
  std::vector<Node> nodes_;  // the root at 1, children of i at 2i and 2i + 1
};

}  // namespace bp::packing
