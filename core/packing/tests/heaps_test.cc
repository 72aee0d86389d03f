#include "core/packing/heaps.h"

#include <catch2/catch.hpp>
#include <random>

namespace bp::packing {
namespace {

// Checks that every heap is a packing of its items, and that none is above the limit except because of an item that is.
Heaps require_heaps(std::span<const Item> items, std::int64_t limit, const Options &options = {}) {
  Heaps heaps = pack_in_heaps(items, limit, options);
  REQUIRE(heaps.heap.size() == items.size());
  for (std::uint32_t heap = 0; heap < heaps.heights.size(); ++heap) {
    std::vector<Item> inside;
    Packing packing;
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (heaps.heap[i] == heap) {
        inside.push_back(items[i]);
        packing.offsets.push_back(heaps.offsets[i]);
      }
    }
    packing.height = heaps.heights[heap];
    Status status = check(inside, packing);
    INFO((status.ok() ? std::string() : status.error().to_string()));
    REQUIRE(status.ok());
    CHECK((packing.height <= limit || inside.size() == 1));
  }
  return heaps;
}

std::vector<Item> together(std::initializer_list<std::int64_t> sizes, std::int64_t alignment) {
  std::vector<Item> items;
  for (std::int64_t size : sizes) {
    items.push_back({size, alignment, {{0, 4}}, -1});
  }
  return items;
}

}  // namespace

TEST_CASE("heaps: one if all fit, else as few bytes together as one would take") {
  auto items = together({10, 30, 20, 40}, 1);
  CHECK(require_heaps(items, 100).heights == std::vector<std::int64_t>{100});
  Heaps heaps = require_heaps(items, 50);
  CHECK(heaps.heights == std::vector<std::int64_t>{50, 50});
  CHECK(heaps.heap == std::vector<std::uint32_t>{0, 1, 1, 0});
  // 60 and 10 at multiples of 20, then 30 and 20 next to them: 70 and 60 bytes.
  items = together({10, 20, 30, 50}, 20);
  std::int64_t sum = 0;
  for (std::int64_t height : require_heaps(items, 70).heights) {
    sum += height;
  }
  CHECK(sum <= 130);
}

TEST_CASE("heaps: an item above the limit has one of its own; presets lie in the first") {
  auto items = together({10, 300, 20}, 1);
  Heaps heaps = require_heaps(items, 25);
  CHECK(heaps.heights == std::vector<std::int64_t>{20, 10, 300});
  items = together({10, 10}, 1);
  items[0].preset = 12;
  heaps = require_heaps(items, 24);
  CHECK(heaps.heap == std::vector<std::uint32_t>{0, 0});
  CHECK(heaps.offsets[0] == 12);
}

TEST_CASE("heaps: random problems") {
  std::mt19937_64 random(8);
  Options little;
  little.steps = 10'000;
  for (int problem = 0; problem < 300; ++problem) {
    std::vector<Item> items;
    for (std::size_t count = random() % 40; count > 0; --count) {
      auto begin = static_cast<std::int64_t>(random() % 30);
      items.push_back({static_cast<std::int64_t>(random() % 100),
                       std::int64_t{1} << random() % 4,
                       {{begin, begin + 1 + static_cast<std::int64_t>(random() % 10)}},
                       -1});
    }
    require_heaps(items, 1 + static_cast<std::int64_t>(random() % 300), little);
  }
}

TEST_CASE("heaps: after the deadline the rest is stacked") {
  std::mt19937_64 random(5);
  auto below = [&](std::uint64_t limit) { return static_cast<std::int64_t>(random() % limit); };
  std::vector<Item> items;
  for (int i = 0; i < 2'000; ++i) {
    const std::int64_t begin = below(1'000);
    items.push_back({below(500), 1 + below(8), {{begin, begin + below(90)}, {begin + 95, begin + 95 + below(90)}}, -1});
  }
  items[7].preset = 0;
  Options late;
  late.deadline = std::chrono::steady_clock::now();
  const Heaps heaps = require_heaps(items, 600, late);
  CHECK(heaps.heights.size() > 10);
  CHECK(heaps.heap[7] == 0);
  CHECK(check(items, heaps).ok());
}

}  // namespace bp::packing
