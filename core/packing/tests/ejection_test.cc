#include "core/packing/ejection.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "core/packing/best_fit.h"
#include "core/packing/pack.h"

namespace bp::packing {
namespace {

constexpr auto never_late = Ejection::Clock::time_point::max();

std::vector<Item> tangled_items(std::mt19937_64 &random, std::int64_t count) {
  auto below = [&](std::int64_t limit) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(limit));
  };
  const std::int64_t alignments = 1 + below(3);
  std::vector<Item> items;
  for (std::int64_t i = 0; i < count; ++i) {
    Item item;
    item.size = below(1 + (std::int64_t{1} << below(12)));
    item.alignment = std::int64_t{1} << 3 * below(alignments);
    std::int64_t time = below(count);
    for (std::int64_t intervals = 1 + below(8) / 7 * below(3); intervals > 0; --intervals) {
      item.needed.emplace_back(time, time + below(1 + count / 4));
      time = item.needed.back().second + below(5);
    }
    item.preset = i < 3 && below(2) == 0 ? item.alignment * below(8) : -1;
    items.push_back(item);
  }
  return items;
}

}  // namespace

TEST_CASE("ejection: the result is a packing below the height, and presets are not moved") {
  std::mt19937_64 random(1);
  std::size_t lowered = 0;
  for (int problem = 0; problem < 300; ++problem) {
    INFO("problem " << problem);
    const auto items = tangled_items(random, 1 + static_cast<std::int64_t>(random() % 80));
    Packing packing = BestFit(items).by_size();
    if (!check(items, packing).ok()) {
      continue;  // presets overlap
    }
    std::int64_t least = lower_bound(items);
    for (const Item &item : items) {
      least = std::max(least, item.preset < 0 ? 0 : item.preset + item.size);
    }
    Ejection ejection(items);
    ejection.begin(packing.offsets);
    while (packing.height > least) {
      const std::int64_t height = packing.height - 1;
      ejection.lower(height);
      if (!ejection.run(height, 2'000'000, 2'000'000, never_late)) {
        break;
      }
      packing = {ejection.offsets(), 0};
      for (std::size_t i = 0; i < items.size(); ++i) {
        const bool is_needed =
            items[i].size > 0 && std::ranges::any_of(items[i].needed, [](Interval s) { return s.first < s.second; });
        packing.height = std::max(packing.height, is_needed ? packing.offsets[i] + items[i].size : 0);
      }
      REQUIRE(packing.height <= height);
      Status status = check(items, packing);
      INFO((status.ok() ? std::string() : status.error().to_string()));
      REQUIRE(status.ok());
      ++lowered;
    }
  }
  CHECK(lowered > 300);
}

// The first two fit next to each other only where the third lies on top, and the items on top of that must then move
// elsewhere.
TEST_CASE("ejection: items in the way are taken out and put elsewhere") {
  const std::vector<Item> items = {
      {40, 1, {{0, 2}}, -1}, {40, 1, {{2, 4}}, -1}, {20, 1, {{0, 4}}, -1}, {10, 1, {{0, 4}}, -1}};
  Ejection ejection(items);
  const std::vector<std::int64_t> offsets = {0, 10, 50, 70};
  REQUIRE(check(items, {offsets, 80}).ok());
  ejection.begin(offsets);
  ejection.lower(70);
  REQUIRE(ejection.run(70, 1'000'000, 1'000'000, never_late));
  CHECK(check(items, {ejection.offsets(), 70}).ok());
  // No lower packing exists; it gives up.
  ejection.lower(69);
  CHECK(!ejection.run(69, 1'000'000, 1'000'000, never_late));
  CHECK(ejection.steps_taken() >= 1'000'000);
}

TEST_CASE("ejection: no item is lower than presets allow") {
  const std::vector<Item> items = {{50, 1, {{0, 4}}, 10}, {20, 1, {{0, 4}}, -1}};
  Ejection ejection(items);
  ejection.begin(std::vector<std::int64_t>{10, 60});
  ejection.lower(75);
  CHECK(!ejection.run(75, 1'000'000, 1'000'000, never_late));
}

// Too much for a search: thousands of short items between long ones, between which best fit leaves many gaps.
TEST_CASE("packing: many items, short and long, far below best fit") {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> size(8, 20), length(1, 11);
  std::vector<Item> items;
  constexpr std::int64_t count = 4'000;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto begin = static_cast<std::int64_t>(random() % count);
    const auto end = begin + static_cast<std::int64_t>(std::exp2(length(random)));
    items.push_back({static_cast<std::int64_t>(std::exp2(size(random))), 64, {{begin, std::min(end, count)}}, -1});
  }
  const BestFit best_fit(items);
  const double bound = static_cast<double>(lower_bound(items));
  const double fitted = static_cast<double>(std::min(best_fit.by_size().height, best_fit.by_duration().height)) / bound;
  const Packing packing = pack(items);
  REQUIRE(check(items, packing).ok());
  const double repaired = static_cast<double>(packing.height) / bound;
  INFO(fitted << ", " << repaired);
  CHECK(fitted > 1.03);
  CHECK(repaired < 1.01);
  CHECK(pack(items).offsets == packing.offsets);
}

}  // namespace bp::packing
