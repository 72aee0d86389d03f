#include <catch2/catch.hpp>
#include <random>

#include "core/buffers/assign.h"
#include "core/buffers/copy_insertion.h"
#include "core/buffers/schedule.h"
#include "core/buffers/schedule_orders.h"
#include "core/buffers/schedule_search.h"
#include "core/buffers/tests/random_program.h"
#include "tools/testing/require.h"

namespace bp::buffers {
namespace {

using bp::testing::require_value;

// Each instruction makes one value and reads some that were made before.
ScheduleGraph random_graph(std::mt19937_64 &random, Number count) {
  ScheduleGraph graph;
  graph.ids.resize(count);
  graph.before.resize(count);
  graph.after.resize(count);
  graph.made.resize(count);
  graph.read.resize(count);
  graph.inner_peak.assign(count, 0);
  graph.class_slots = {0, 0, 1};
  constexpr std::array<std::int64_t, 3> sizes = {1, 5, 12};
  for (Number i = 0; i < count; ++i) {
    auto of_class = static_cast<Number>(random() % sizes.size());
    graph.made[i] = {graph.add_value(sizes[of_class], of_class)};
    graph.readers.push_back(0);
    for (Number other = 0; other < i; ++other) {
      if (random() % 4 == 0) {
        graph.before[i].push_back(other);
        graph.after[other].push_back(i);
        graph.read[i].push_back(other);
        ++graph.readers[other];
        if (graph.size_class[other] == of_class && random() % 2 == 0) {
          graph.overwritable[i].push_back(other);
        }
      }
    }
    graph.inner_peak[i] = random() % 5 == 0 ? 7 : 0;
  }
  graph.readers.back() = 1;  // the root
  return graph;
}

bool is_allowed(const ScheduleGraph &graph, const Order &order) {
  std::vector<bool> has_run(graph.count());
  for (Number i : order) {
    if (has_run[i] || !std::ranges::all_of(graph.before[i], [&](Number before) { return has_run[before]; })) {
      return false;
    }
    has_run[i] = true;
  }
  return order.size() == graph.count();
}

// Returns the lowest peak of all orders.
std::int64_t try_all(const ScheduleGraph &graph) {
  Order order(graph.count());
  std::iota(order.begin(), order.end(), 0u);
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  do {
    if (is_allowed(graph, order)) {
      least = std::min(least, peak_of(graph, order));
    }
  } while (std::ranges::next_permutation(order).found);
  return least;
}

}  // namespace

TEST_CASE("schedule: the search finds the least peak of all orders") {
  std::mt19937_64 random(5);
  for (int i = 0; i < 60; ++i) {
    ScheduleGraph graph = random_graph(random, 7);
    std::int64_t least = try_all(graph);
    std::size_t budget = 1'000'000;
    auto found = search_order(graph, least + 1, budget);
    REQUIRE(found);
    CHECK(is_allowed(graph, *found));
    CHECK(peak_of(graph, *found) == least);
    CHECK(!search_order(graph, least, budget));
    CHECK(min_peak(graph) <= least);
  }
}

TEST_CASE("schedule: orders are allowed, and improving them makes none worse") {
  std::mt19937_64 random(6);
  int improved = 0;
  for (int i = 0; i < 40; ++i) {
    ScheduleGraph graph = random_graph(random, i % 2 == 0 ? 40 : 100);
    Order base = program_order(graph);
    for (Order order : {base, min_growth_order(graph), backward_order(graph), post_order(graph, base),
                        depth_first_order(graph, base)}) {
      REQUIRE(is_allowed(graph, order));
      std::int64_t before = peak_of(graph, order);
      std::size_t budget = 5'000;
      improve_order(graph, order, budget);
      REQUIRE(is_allowed(graph, order));
      CHECK(peak_of(graph, order) <= before);
      improved += peak_of(graph, order) < before ? 1 : 0;
    }
  }
  CHECK(improved > 20);
}

TEST_CASE("schedule: no classic order of a random program needs less than ours") {
  int better = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    INFO("seed " << seed);
    auto bytes = [&](Scheduling scheduling) {
      ir::Module module = testing::random_program(seed, 1);
      require_value(schedule(module, scheduling));
      require_value(insert_copies(module));
      Plan plan = require_value(assign(module, {.packing_steps = scheduling == Scheduling::Least ? 1'000'000 : 0}));
      return plan.bytes(AllocationKind::Temporary);
    };
    std::int64_t ours = bytes(Scheduling::Least);
    std::int64_t classic =
        std::min({bytes(Scheduling::List), bytes(Scheduling::DepthFirst), bytes(Scheduling::PostOrder)});
    better += ours < classic ? 1 : 0;
    CHECK(ours <= classic);
  }
  CHECK(better > 10);
}

}  // namespace bp::buffers
