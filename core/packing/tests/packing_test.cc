#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <random>

#include "core/base/files.h"
#include "core/packing/best_fit.h"
#include "core/packing/evolution.h"
#include "core/packing/pack.h"
#include "core/packing/problem_text.h"
#include "core/packing/skyline_search.h"
#include "tools/testing/skip.h"
#include "tools/testing/source_tree.h"

namespace bp::packing {
namespace {

using Outcome = SkylineSearch::Outcome;
constexpr auto no_deadline = SkylineSearch::Clock::time_point::max();

std::vector<Item> items_of(std::initializer_list<std::array<std::int64_t, 3>> rows) {
  std::vector<Item> items;
  for (auto [begin, end, size] : rows) {
    items.push_back({size, 1, {{begin, end}}, -1});
  }
  return items;
}

Packing require_packed(std::span<const Item> items, std::int64_t at_most, const Options &options = {}) {
  Packing packing = pack(items, options);
  Status status = check(items, packing);
  INFO((status.ok() ? std::string() : status.error().to_string()));
  REQUIRE(status.ok());
  CHECK(packing.height >= lower_bound(items));
  CHECK(packing.height <= at_most);
  BestFit best_fit(items);
  CHECK(packing.height <= std::min(best_fit.by_size().height, best_fit.by_duration().height));
  return packing;
}

// A rectangle of time and memory cut into pieces, so that the height of the best packing is known. Some pieces are left
// out.
std::vector<Item> pieces_of(std::mt19937_64 &random, std::size_t count, std::int64_t times, std::int64_t height,
                            double left_out) {
  struct Piece {
    std::int64_t begin, end, low, high;
  };
  std::vector<Piece> pieces = {{0, times, 0, height}};
  for (std::size_t tries = 0; pieces.size() < count && tries < 50 * count; ++tries) {
    Piece &piece = pieces[random() % pieces.size()];
    bool in_time = random() % 2 == 0;
    std::int64_t extent = in_time ? piece.end - piece.begin : piece.high - piece.low;
    if (extent < 2) {
      continue;
    }
    std::int64_t at = 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(extent - 1));
    Piece rest = piece;
    (in_time ? piece.end : piece.high) = (in_time ? piece.begin : piece.low) + at;
    (in_time ? rest.begin : rest.low) += at;
    pieces.push_back(rest);
  }
  std::shuffle(pieces.begin(), pieces.end(), random);
  std::vector<Item> items;
  for (const Piece &piece : pieces) {
    if (std::uniform_real_distribution<double>()(random) >= left_out) {
      items.push_back({piece.high - piece.low, 1, {{piece.begin, piece.end}}, -1});
    }
  }
  return items;
}

// In a best packing, taken by ascending offsets, each item lies as low as it can above those before it that it meets.
std::int64_t min_height(std::span<const Item> items) {
  std::vector<std::size_t> order(items.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  do {
    std::vector<std::int64_t> ends(items.size());
    for (std::size_t k = 0; k < order.size(); ++k) {
      const Item &item = items[order[k]];
      std::int64_t top = 0;
      for (std::size_t below : std::span(order).first(k)) {
        auto [begin, end] = items[below].needed[0];
        top = begin < item.needed[0].second && item.needed[0].first < end ? std::max(top, ends[below]) : top;
      }
      ends[order[k]] = align_up(top, item.alignment) + item.size;
    }
    least = std::min(least, std::ranges::max(ends));
  } while (std::ranges::next_permutation(order).found);
  return least;
}

std::vector<Strategy> some_strategies() {
  std::vector<Strategy> some;
  for (std::uint64_t n = 0; n < 16; ++n) {
    some.push_back(nth_strategy(n, n % 3 == 0));
    some.push_back(changed(changed(some.back(), n), n));
  }
  return some;
}

Outcome run(SkylineSearch &search, const Strategy &strategy, std::int64_t steps) {
  return search.run(strategy, std::atomic<std::int64_t>(steps), steps, no_deadline);
}

}  // namespace

TEST_CASE("packing: problems are solved to the lower bound where that is possible") {
  require_packed({}, 0);
  require_packed(items_of({{0, 4, 10}, {0, 4, 30}, {0, 4, 20}, {0, 4, 40}}), 100);
  require_packed(items_of({{0, 2, 8}, {2, 4, 8}, {4, 6, 8}}), 8);
  // One is needed all the time, the others one after the other.
  require_packed(items_of({{0, 9, 40}, {0, 5, 20}, {5, 9, 20}}), 60);
  // Items that need no bytes, or no time.
  require_packed(items_of({{0, 9, 0}, {3, 3, 20}}), 0);
  // An item that is needed twice leaves its bytes to another in between.
  std::vector<Item> gap = items_of({{2, 4, 8}});
  gap.push_back({8, 1, {{0, 2}, {4, 6}}, -1});
  require_packed(gap, 8);
  // 10, 20 and 50 bytes side by side at multiples of 20 need at least 20 + 20 + 50.
  auto aligned = items_of({{0, 2, 10}, {0, 2, 20}, {0, 2, 50}});
  for (Item &item : aligned) {
    item.alignment = 20;
  }
  require_packed(aligned, 90);
}

// Heights that XLA's heap simulator needs for small sequences of allocations; ours are no higher. Items that share
// memory are one item with several intervals.
TEST_CASE("packing: known figures") {
  // a 10 and b 30 and c 20 and d 40 at the same time.
  require_packed(items_of({{0, 4, 10}, {1, 5, 30}, {2, 6, 20}, {3, 7, 40}}), 100);
  // The same problem aligned to 20, where a ends early: 120.
  auto aligned = items_of({{0, 2, 10}, {1, 5, 20}, {3, 6, 50}, {4, 7, 40}});
  for (Item &item : aligned) {
    item.alignment = 20;
  }
  require_packed(aligned, 120);
  // Best fit: a 10, b 20, c 40, d 30, e 50: 140.
  require_packed(items_of({{0, 2, 10}, {1, 5, 20}, {3, 8, 40}, {4, 6, 30}, {5, 9, 50}}), 140);
  // c shares with a: 40; and 60 where b overlaps both.
  require_packed(std::vector<Item>{{40, 1, {{0, 1}, {3, 5}}, -1}, {20, 1, {{1, 3}}, -1}}, 40);
  require_packed(std::vector<Item>{{40, 1, {{0, 2}, {3, 5}}, -1}, {20, 1, {{1, 4}}, -1}}, 60);
  require_packed(std::vector<Item>{{10, 1, {{0, 2}, {3, 5}}, -1}, {30, 1, {{1, 4}}, -1}}, 40);
  // They share although their sizes differ: the block has the size of the larger one.
  require_packed(std::vector<Item>{{30, 1, {{0, 2}, {3, 5}}, -1}, {30, 1, {{1, 4}}, -1}}, 60);
  require_packed(std::vector<Item>{{50, 1, {{0, 2}, {3, 5}}, -1}, {20, 1, {{1, 4}}, -1}}, 70);
}

TEST_CASE("packing: the search ends where alignment keeps the lower bound out of reach") {
  // The third lies between the other two or on top of them.
  std::vector<Item> items = items_of({{0, 2, 72}, {0, 2, 72}, {0, 2, 60}});
  items[0].alignment = items[1].alignment = 64;
  REQUIRE(lower_bound(items) == 204);
  Options patient;
  patient.steps = std::numeric_limits<std::int64_t>::max();
  require_packed(items, 260, patient);
}

TEST_CASE("no packing is lower than its presets") {
  const std::vector<Item> items = {{.size = 10, .needed = {{0, 4}}, .preset = 90}, {.size = 20, .needed = {{0, 4}}}};
  CHECK(lower_bound(items) == 100);
  const std::vector<Item> unneeded = {{.size = 10, .needed = {{4, 4}}, .preset = 90}};
  CHECK(lower_bound(unneeded) == 0);
}

TEST_CASE("packing: the check rejects what is wrong") {
  auto items = items_of({{0, 4, 10}, {2, 6, 10}, {4, 8, 10}});
  CHECK(check(items, {{0, 10, 0}, 20}).ok());
  CHECK(!check(items, {{0, 5, 20}, 30}).ok());  // 0 and 1 overlap
  CHECK(!check(items, {{0, 10, 0}, 19}).ok());  // too low
  CHECK(!check(items, {{0, 10, 0}, 40}).ok());  // too high
  CHECK(!check(items, {{0, 10}, 20}).ok());     // one has no offset
  CHECK(!check(items, {{-10, 10, 0}, 20}).ok());
  items[1].alignment = 4;
  CHECK(!check(items, {{0, 10, 0}, 20}).ok());
  items[1] = {10, 1, {{2, 6}}, 20};
  CHECK(!check(items, {{0, 10, 0}, 20}).ok());
}

TEST_CASE("packing: the lower bound knows alignment") {
  std::mt19937_64 random(9);
  auto below = [&](std::uint64_t limit) { return static_cast<std::int64_t>(random() % limit); };
  std::size_t reached = 0, above_bytes = 0;
  for (int problem = 0; problem < 1'000; ++problem) {
    std::vector<Item> items;
    for (std::size_t count = 1 + random() % 5; count > 0; --count) {
      const std::int64_t begin = below(4),
                         alignment = problem % 2 == 0 ? std::int64_t{1} << 3 * below(3) : 1 + below(12);
      items.push_back({1 + below(100), alignment, {{begin, begin + 1 + below(4)}}, -1});
    }
    const std::int64_t bound = lower_bound(items), least = min_height(items);
    REQUIRE(bound <= least);
    reached += bound == least ? 1 : 0;
    for (Item &item : items) {
      item.alignment = 1;
    }
    REQUIRE(bound >= lower_bound(items));
    above_bytes += bound > lower_bound(items) ? 1 : 0;
  }
  CHECK(reached > 500);
  CHECK(above_bytes > 100);
}

TEST_CASE("packing: presets are kept") {
  auto items = items_of({{0, 4, 10}, {0, 4, 10}, {4, 6, 30}});
  items[0].preset = 15;
  Packing packing = require_packed(items, 30);
  CHECK(packing.offsets[0] == 15);
  CHECK(packing.offsets[1] == 0);
}

// Best fit as published, without optimizations: items are placed one after another, each into the smallest gap that it
// fits into, the lowest of equal gaps, or on top.
std::int64_t height_of_best_fit(std::span<const Item> items, auto key) {
  std::vector<std::size_t> order(items.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t i) { return key(items[i]); });
  struct Block {
    std::int64_t low, high, begin, end;
  };
  std::vector<Block> placed;  // by low
  std::int64_t height = 0;
  for (std::size_t i : order) {
    auto [begin, end] = items[i].needed[0];
    std::int64_t top = 0, best = -1, best_gap = 0;
    for (const Block &block : placed) {
      if (block.begin < end && begin < block.end) {
        std::int64_t gap = block.low - top;
        if (gap >= items[i].size && (best < 0 || gap < best_gap)) {
          best = top;
          best_gap = gap;
        }
        top = std::max(top, block.high);
      }
    }
    std::int64_t low = best < 0 ? top : best;
    Block block = {low, low + items[i].size, begin, end};
    placed.insert(std::ranges::upper_bound(placed, low, {}, &Block::low), block);
    height = std::max(height, block.high);
  }
  return height;
}

TEST_CASE("packing: many items are packed in the order that suits them") {
  // All have the same duration and begin one after another: only the order of their beginnings packs them well.
  std::mt19937_64 random(3);
  std::vector<Item> items;
  for (std::int64_t i = 0; i < 4'000; ++i) {
    items.push_back({static_cast<std::int64_t>(1 + random() % 100'000), 1, {{i, i + 100}}, -1});
  }
  Options little;
  little.steps = 1;
  CHECK(pack(items, little).height <= lower_bound(items) * 103 / 100);
  CHECK(BestFit(items).by_size().height > lower_bound(items) * 115 / 100);
}

TEST_CASE("packing: never worse than the better one of the classic orders") {
  std::mt19937_64 random(7);
  Options little;
  little.steps = 10'000;
  std::size_t better = 0;
  for (int problem = 0; problem < 10'000; ++problem) {
    INFO("problem " << problem);
    std::vector<Item> items;
    std::uint64_t times = 2 + random() % 40, sizes = 1 + random() % 60;
    for (std::size_t count = 1 + random() % 40; count > 0; --count) {
      auto begin = static_cast<std::int64_t>(random() % times);
      auto size = static_cast<std::int64_t>(1 + random() % sizes);
      items.push_back({size, 1, {{begin, begin + 1 + static_cast<std::int64_t>(random() % times)}}, -1});
    }
    auto duration = [](const Item &item) { return item.needed[0].second - item.needed[0].first; };
    std::int64_t classic =
        std::min(height_of_best_fit(items, [&](const Item &i) { return std::pair(i.size, duration(i)); }),
                 height_of_best_fit(items, [&](const Item &i) { return std::pair(duration(i), i.size); }));
    Packing packing = pack(items, little);
    REQUIRE(check(items, packing).ok());
    REQUIRE(packing.height <= classic);
    better += packing.height < classic ? 1 : 0;
  }
  CHECK(better > 1000);
}

TEST_CASE("packing: random problems, with alignments and times between") {
  std::mt19937_64 random(1);
  Options little;
  little.steps = 100'000;
  for (int problem = 0; problem < 200; ++problem) {
    std::vector<Item> items;
    for (std::size_t count = random() % 60; count > 0; --count) {
      Item item{static_cast<std::int64_t>(random() % 100), std::int64_t{1} << random() % 4, {}, -1};
      std::int64_t time = 0;
      for (std::size_t intervals = 1 + random() % 3; intervals > 0; --intervals) {
        std::int64_t begin = time + static_cast<std::int64_t>(random() % 20);
        time = begin + static_cast<std::int64_t>(random() % 10);
        item.needed.emplace_back(begin, time);
      }
      items.push_back(item);
    }
    Packing packing = require_packed(items, std::numeric_limits<std::int64_t>::max(), little);
    CHECK(pack(items, little).offsets == packing.offsets);
  }
}

TEST_CASE("packing: no strategy misses a packing that exists") {
  std::mt19937_64 random(2);
  std::size_t found = 0, gave_up = 0;
  for (int problem = 0; problem < 100; ++problem) {
    constexpr std::int64_t height = 20;
    auto items = pieces_of(random, 5 + random() % 12, 5 + static_cast<std::int64_t>(random() % 30), height,
                           0.15 * static_cast<double>(problem % 3));
    for (Strategy strategy : some_strategies()) {
      if (items.empty()) {
        continue;
      }
      SkylineSearch search(items, height);
      Outcome outcome = run(search, strategy, 3'000'000);
      REQUIRE(outcome != Outcome::Impossible);
      (outcome == Outcome::Found ? found : gave_up) += 1;
    }
  }
  CHECK(found > 1000);
  CHECK(gave_up == 0);
}

TEST_CASE("packing: strategies that got far are changed and tried again") {
  Evolution evolution(0, false), same(0, false);
  double seeds_kept = 0, tries = 0;
  std::uint64_t farthest = 0;
  for (int n = 0; n < 200; ++n) {
    Strategy strategy = evolution.next();
    REQUIRE(strategy.seed == same.next().seed);
    tries += n >= 100 ? 1 : 0;
    seeds_kept += n >= 100 && strategy.seed == farthest ? 1 : 0;
    double laid = n == 50 ? 1000 : n % 10;
    farthest = n == 50 ? strategy.seed : farthest;
    evolution.report(strategy, laid);
    same.report(strategy, laid);
  }
  // A quarter is new; of the others, a quarter descends from the farthest of eight, of which half keep its seed.
  CHECK(seeds_kept > 0.04 * tries);
  CHECK(seeds_kept < 0.3 * tries);
}

TEST_CASE("packing: an impossible height is proved impossible") {
  // At most 144 bytes are needed at a time; but the second of two items that meet begins at a multiple of 64, at 128.
  std::vector<Item> items = items_of({{0, 2, 72}, {1, 4, 72}, {3, 6, 72}, {5, 7, 72}});
  for (Item &item : items) {
    item.alignment = 64;
  }
  REQUIRE(lower_bound(items) == 200);
  for (Strategy strategy : some_strategies()) {
    SkylineSearch too_low(items, 199);
    CHECK(run(too_low, strategy, 1'000'000) == Outcome::Impossible);
    SkylineSearch high(items, 200);
    CHECK(run(high, strategy, 1'000'000) == Outcome::Found);
  }
}

TEST_CASE("packing: tight cuts of a rectangle, from both ends of time") {
  std::mt19937_64 random(3);
  for (std::size_t count : {50, 100, 150}) {
    for (int problem = 0; problem < 4; ++problem) {
      auto items = pieces_of(random, count, 200, 1024, 0);
      require_packed(items, 1024);
      for (Item &item : items) {
        item.needed = {{-item.needed[0].second, -item.needed[0].first}};
      }
      require_packed(items, 1024);
    }
  }
}

TEST_CASE("packing: many items for a short time") {
  std::mt19937_64 random(4);
  std::geometric_distribution<std::int64_t> length(1.0 / 64);
  std::uniform_real_distribution<double> size(0, 20);
  constexpr std::int64_t count = 30'000;
  std::vector<Item> items;
  for (std::int64_t i = 0; i < count; ++i) {
    auto begin = static_cast<std::int64_t>(random() % count);
    items.push_back({static_cast<std::int64_t>(std::exp2(size(random))), 1, {{begin, begin + 1 + length(random)}}, -1});
  }
  require_packed(items, lower_bound(items) / 100 * 105);
}

TEST_CASE("packing: more effort never gives a worse packing, and the same effort the same") {
  std::mt19937_64 random(5);
  std::size_t better = 0;
  for (int problem = 0; problem < 10; ++problem) {
    auto items = pieces_of(random, 150, 200, 1024, 0.05);
    std::int64_t before = std::numeric_limits<std::int64_t>::max();
    for (std::int64_t steps : {0, 1'000'000, 5'000'000, 30'000'000}) {
      Options options;
      options.steps = steps;
      Packing packing = require_packed(items, before, options);
      CHECK(pack(items, options).offsets == packing.offsets);
      better += packing.height < before && steps > 0 ? 1 : 0;
      before = packing.height;
    }
  }
  CHECK(better >= 5);
}

// No two sizes are equal any more: items lie on uneven floors.
TEST_CASE("packing: cuts of a rectangle of which each is a little smaller") {
  std::mt19937_64 random(6);
  for (int problem = 0; problem < 10; ++problem) {
    auto items = pieces_of(random, 100, 200, 1'000'000, 0);
    for (Item &item : items) {
      item.size -= static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(item.size / 20 + 1));
    }
    Options options;
    options.capacity = 1'000'000;
    require_packed(items, options.capacity, options);
  }
}

// The hard problems are published with capacity 1,048,576, which is the lower bound of all but C.
TEST_CASE("packing: published problems are packed to the lower bound") {
  std::filesystem::path corpus = testing::find_shared("corpus/packing");
  if (corpus.empty()) {
    testing::skip("no corpus; set BACKPLANE_SHARED to the folder that has it");
    return;
  }
  for (const char *file :
       {"minimalloc/input.12.csv", "minimalloc/A.1048576.csv", "minimalloc/C.1048576.csv", "minimalloc/G.1048576.csv",
        "minimalloc/K.1048576.csv", "idealloc/resnet50.csv", "idealloc/iopddl_G_1.csv"}) {
    INFO(file);
    Result<std::string> text = read_file((corpus / file).string());
    REQUIRE(text.ok());
    Result<NamedProblem> problem = read_problem(text.value(), file);
    REQUIRE(problem.ok());
    REQUIRE(!problem.value().items.empty());
    require_packed(problem.value().items, lower_bound(problem.value().items));
  }
}

}  // namespace bp::packing
