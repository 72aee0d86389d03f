#include "core/packing/best_fit.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>
#include <random>

#include "core/packing/pack.h"

namespace bp::packing {
namespace {

constexpr MinGap one_byte;

bool meet(const Item &a, const Item &b) {
  return std::ranges::any_of(a.needed, [&](Interval first) {
    return std::ranges::any_of(b.needed, [&](Interval second) {
      return std::max(first.first, second.first) < std::min(first.second, second.second);
    });
  });
}

// Best fit by its definition: every item is compared with all that are already placed.
std::vector<std::int64_t> best_fit_by_size(std::span<const Item> items) {
  std::vector<double> durations;
  for (const Item &item : items) {
    durations.push_back(0);
    for (auto [begin, end] : item.needed) {
      durations.back() += static_cast<double>(end - begin);
    }
  }
  std::vector<std::size_t> order(items.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t i) {
    return std::tuple(items[i].preset >= 0, items[i].preset >= 0 ? 0 : items[i].size, durations[i]);
  });
  std::vector<std::int64_t> offsets(items.size(), -1);
  for (std::size_t item : order) {
    std::vector<Interval> taken;
    for (std::size_t other = 0; other < items.size(); ++other) {
      if (offsets[other] >= 0 && items[other].size > 0 && items[item].size > 0 && meet(items[item], items[other])) {
        taken.emplace_back(offsets[other], offsets[other] + items[other].size);
      }
    }
    std::ranges::sort(taken);
    std::int64_t top = 0, best = -1, best_gap = 0;
    for (auto [begin, end] : taken) {
      const std::int64_t offset = align_up(top, items[item].alignment);
      if (offset + items[item].size <= begin && top < begin && (best < 0 || begin - top < best_gap)) {
        best = offset;
        best_gap = begin - top;
      }
      top = std::max(top, end);
    }
    offsets[item] = items[item].preset >= 0 ? items[item].preset
                    : best >= 0             ? best
                                            : align_up(top, items[item].alignment);
  }
  return offsets;
}

std::vector<Item> random_items(std::mt19937_64 &random) {
  auto below = [&](std::int64_t limit) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(limit));
  };
  const std::int64_t count = 1 + below(60), times = 1 + below(200), sizes = 1 + below(300), alignments = 1 + below(12);
  const std::int64_t least = below(2) * below(30);
  std::vector<Item> items;
  for (std::int64_t i = 0; i < count; ++i) {
    Item item;
    item.size = least + below(sizes);
    item.alignment = 1 + below(alignments);
    std::int64_t time = below(times);
    for (std::int64_t intervals = 1 + below(4) / 3 * below(3); intervals > 0; --intervals) {
      item.needed.emplace_back(time, time + below(1 + times / 3));
      time = item.needed.back().second + below(5);
    }
    item.preset = below(40) == 0 ? item.alignment * below(50) : -1;
    items.push_back(item);
  }
  return items;
}

// Each item begins after the previous one and ends before it, like the values that a forward pass leaves to a backward
// pass.
std::vector<Item> nested_items(std::int64_t count) {
  std::mt19937_64 random(7);
  std::vector<Item> items;
  for (std::int64_t i = 0; i < count; ++i) {
    items.push_back({1 + static_cast<std::int64_t>(random() % 1'000), 1, {{i, 2 * count - i}}, -1});
  }
  return items;
}

}  // namespace

TEST_CASE("best fit: the same as by its definition") {
  std::mt19937_64 random(1);
  for (int problem = 0; problem < 1'000; ++problem) {
    auto items = random_items(random);
    REQUIRE(BestFit(items).by_size().offsets == best_fit_by_size(items));
  }
}

TEST_CASE("best fit: items that do not end below the limit are left out") {
  const std::vector<Item> items = {{50, 1, {{0, 4}}, -1}, {30, 1, {{2, 6}}, -1}, {20, 1, {{3, 5}}, -1}};
  CHECK(BestFit(items).by_size_below(75).offsets == std::vector<std::int64_t>{0, -1, 50});
  CHECK(BestFit(items).by_size_below(75).height == 70);
}

TEST_CASE("best fit: ranges of bytes are their union") {
  using Ranges = std::vector<ByteRanges::Range>;
  ByteRanges bytes;
  bytes.add(10, 20, one_byte);
  bytes.add(50, 60, one_byte);
  bytes.add(30, 40, one_byte);
  CHECK(bytes.ranges() == Ranges{{10, 20}, {30, 40}, {50, 60}});
  bytes.add(20, 30, one_byte);
  CHECK(bytes.ranges() == Ranges{{10, 40}, {50, 60}});
  bytes.add(0, 55, one_byte);
  CHECK(bytes.ranges() == Ranges{{0, 60}});
  bytes.add(70, 80, one_byte);
  bytes.add(72, 75, one_byte);
  CHECK(bytes.ranges() == Ranges{{0, 60}, {70, 80}});
  CHECK(bytes.top() == 80);
}

TEST_CASE("best fit: a gap that no item fits into is ignored") {
  const MinGap min_gap{8, 64};
  ByteRanges bytes;
  bytes.add(0, 60, min_gap);
  bytes.add(64, 100, min_gap);
  bytes.add(135, 140, min_gap);  // 128 to 135 is less than 8
  bytes.add(200, 240, min_gap);  // 192 to 200 is enough
  CHECK(bytes.ranges() == std::vector<ByteRanges::Range>{{0, 140}, {200, 240}});
}

// All items that are needed at one time lie in one range, in whichever nodes it is stored.
TEST_CASE("best fit: adjacent items are merged into few ranges") {
  constexpr std::uint32_t count = 4'096;
  Occupancy occupancy(2 * count, one_byte);
  for (std::uint32_t i = 0; i < count; ++i) {
    occupancy.take(i, 2 * count - i, 8 * i, 8 * i + 8);
    std::vector<ByteRanges::Range> taken;
    occupancy.collect(i, i + 1, taken);
    REQUIRE(taken.size() <= 14);  // one for each level of the tree
    REQUIRE(occupancy.top(i, i + 1) == 8 * i + 8);
  }
}

TEST_CASE("best fit: items after the deadline are put on top of all others") {
  auto items = nested_items(20'000);
  items[3].preset = 1'000;
  Options late;
  late.steps = std::numeric_limits<std::int64_t>::max();
  late.deadline = std::chrono::steady_clock::now();
  const Packing packing = pack(items, late);
  REQUIRE(check(items, packing).ok());
  CHECK(packing.height >= lower_bound(items));
  CHECK(packing.offsets[3] == 1'000);
  CHECK(std::chrono::steady_clock::now() - late.deadline < std::chrono::seconds(10));
}

TEST_CASE("best fit: of one size, from their beginning on, no more items are above each other than have to be") {
  std::mt19937 random(7);
  for (int round = 0; round < 20; ++round) {
    std::vector<Item> items(500);
    for (Item &item : items) {
      const std::int64_t begin = random() % 500;
      item.size = 64;
      item.needed = {{begin, begin + 1 + random() % 100}};
    }
    CHECK(BestFit(items).by_size_and_start().height == lower_bound(items));
  }
}

}  // namespace bp::packing
