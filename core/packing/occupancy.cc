// Where items lie close together, the union of their bytes is a few ranges, whatever their number. So a query of a node
// is cheap, and consecutive moments are covered by few nodes.
#include "core/packing/occupancy.h"

#include <algorithm>
#include <bit>

#include "core/packing/problem.h"

namespace bp::packing {

bool MinGap::is_between(std::int64_t low, std::int64_t high) const {
  return align_up(low, alignment) + size <= high;
}

void ByteRanges::add(std::int64_t begin, std::int64_t end, MinGap min_gap) {
  const auto first =
      std::ranges::partition_point(ranges_, [&](Range range) { return min_gap.is_between(range.second, begin); });
  const auto last =
      std::partition_point(first, ranges_.end(), [&](Range range) { return !min_gap.is_between(end, range.first); });
  if (first == last) {
    ranges_.insert(first, {begin, end});
    return;
  }
  *first = {std::min(begin, first->first), std::max(end, std::prev(last)->second)};
  ranges_.erase(std::next(first), last);
}

void ByteRanges::raise_top(std::int64_t end) {
  end = std::max(end, top());
  ranges_.clear();
  ranges_.emplace_back(0, end);
}

Occupancy::Occupancy(std::size_t moment_count, MinGap min_gap)
    : min_gap_(min_gap),
      leaves_(static_cast<std::uint32_t>(std::bit_ceil(std::max<std::size_t>(moment_count, 1)))),
      nodes_(2 * static_cast<std::size_t>(leaves_)) {}

// Applies add_bytes to the unions that a change of these moments affects.
template <typename Add>
void Occupancy::add(std::uint32_t begin, std::uint32_t end, Add add_bytes) {
  auto walk = [&](auto &&self, std::uint32_t node, std::uint32_t first, std::uint32_t count) -> void {
    if (begin >= first + count || end <= first) {
      return;
    }
    add_bytes(nodes_[node].ever);
    if (begin <= first && first + count <= end) {
      add_bytes(nodes_[node].always);
      return;
    }
    self(self, 2 * node, first, count / 2);
    self(self, 2 * node + 1, first + count / 2, count / 2);
  };
  walk(walk, 1, 0, leaves_);
}

void Occupancy::take(std::uint32_t begin, std::uint32_t end, std::int64_t low, std::int64_t high) {
  add(begin, end, [&](ByteRanges &bytes) { bytes.add(low, high, min_gap_); });
}

void Occupancy::take_below(std::uint32_t begin, std::uint32_t end, std::int64_t high) {
  add(begin, end, [&](ByteRanges &bytes) { bytes.raise_top(high); });
}

// Visits the unions that together are the bytes taken at any of these moments.
template <typename Visit>
void Occupancy::visit(std::uint32_t begin, std::uint32_t end, Visit visit_bytes) const {
  auto walk = [&](auto &&self, std::uint32_t node, std::uint32_t first, std::uint32_t count) -> void {
    if (begin >= first + count || end <= first) {
      return;
    }
    if (begin <= first && first + count <= end) {
      visit_bytes(nodes_[node].ever);
      return;
    }
    visit_bytes(nodes_[node].always);
    self(self, 2 * node, first, count / 2);
    self(self, 2 * node + 1, first + count / 2, count / 2);
  };
  walk(walk, 1, 0, leaves_);
}

void Occupancy::collect(std::uint32_t begin, std::uint32_t end, std::vector<ByteRanges::Range> &taken) const {
  visit(begin, end,
        [&](const ByteRanges &bytes) { taken.insert(taken.end(), bytes.ranges().begin(), bytes.ranges().end()); });
}

std::int64_t Occupancy::top(std::uint32_t begin, std::uint32_t end) const {
  std::int64_t top = 0;
  visit(begin, end, [&](const ByteRanges &bytes) { top = std::max(top, bytes.top()); });
  return top;
}

}  // namespace bp::packing
