// Placements of random graphs, compared with the best of all placements, each with a cost that is computed here in the
// simplest way.
#include "core/compile/placement.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <cmath>
#include <optional>
#include <random>

#include "core/compile/minimum_cut.h"

namespace bp::compile {
namespace {

constexpr std::uint32_t outside_of_graph = PlacementGraph::outside;

bool uses(const PlacementGraph::Value &value, std::uint32_t node) {
  return std::ranges::find(value.users, node) != value.users.end();
}

// Small whole numbers, so that many placements cost the same.
PlacementGraph random_placement(std::mt19937 &random, std::uint32_t count) {
  PlacementGraph graph;
  constexpr double starts[] = {0, 0, 1, 3, 10, 30};
  graph.start = starts[random() % std::size(starts)];
  PlacementGraph::Value input{outside_of_graph, static_cast<double>(random() % 8), {}};
  for (std::uint32_t i = 0; i < count; ++i) {
    PlacementGraph::Node node{static_cast<double>(random() % 12), static_cast<double>(random() % 12)};
    if (random() % 3 == 0) {
      (random() % 4 == 0 ? node.on_host : node.on_device) = PlacementGraph::never;
    }
    graph.nodes.push_back(node);
    graph.values.push_back({i, static_cast<double>(random() % 8), {}});
    for (unsigned k = random() % 3; k > 0; --k) {
      PlacementGraph::Value &operand =
          i == 0 || random() % 6 == 0 ? input : graph.values[random() % 2 == 0 ? i - 1 : random() % i];
      if (!uses(operand, i)) {
        operand.users.push_back(i);
      }
    }
    if (i > 0 && random() % 8 == 0) {
      graph.order.emplace_back(static_cast<std::uint32_t>(random() % i), i);
    }
  }
  graph.values.push_back(std::move(input));
  for (PlacementGraph::Value &value : graph.values) {
    if (value.from != outside_of_graph && (value.users.empty() || random() % 6 == 0)) {
      value.users.push_back(outside_of_graph);
    }
  }
  return graph;
}

// The number of programs is the largest number of stretches on the device on any path.
PlacementCost simple_cost(const PlacementGraph &graph, const std::vector<bool> &on_device) {
  PlacementCost cost;
  const auto is_there = [&](std::uint32_t node) { return node != outside_of_graph && on_device[node]; };
  std::vector<std::int64_t> stretches(graph.nodes.size());
  for (std::uint32_t i = 0; i < graph.nodes.size(); ++i) {
    cost.nanoseconds += on_device[i] ? graph.nodes[i].on_device : graph.nodes[i].on_host;
    stretches[i] = on_device[i] ? 1 : 0;
    const auto follow = [&](std::uint32_t before) {
      stretches[i] = std::max(stretches[i], stretches[before] + (on_device[i] && !on_device[before] ? 1 : 0));
    };
    for (const PlacementGraph::Value &value : graph.values) {
      if (value.from != outside_of_graph && uses(value, i)) {
        follow(value.from);
      }
    }
    for (const auto &[first, second] : graph.order) {
      if (second == i) {
        follow(first);
      }
    }
    cost.programs = std::max(cost.programs, stretches[i]);
  }
  for (const PlacementGraph::Value &value : graph.values) {
    if (std::ranges::any_of(value.users, [&](std::uint32_t user) { return is_there(user) != is_there(value.from); })) {
      cost.nanoseconds += value.copy;
    }
  }
  cost.nanoseconds += graph.start * static_cast<double>(cost.programs);
  return cost;
}

PlacementCost least_cost(const PlacementGraph &graph) {
  std::optional<PlacementCost> best;
  std::vector<bool> on_device(graph.nodes.size());
  for (std::uint32_t choice = 0; choice < std::uint32_t{1} << graph.nodes.size(); ++choice) {
    for (std::size_t i = 0; i < on_device.size(); ++i) {
      on_device[i] = (choice >> i & 1) != 0;
    }
    const PlacementCost cost = simple_cost(graph, on_device);
    if (!best || cost.nanoseconds < best->nanoseconds ||
        (cost.nanoseconds == best->nanoseconds && cost.programs < best->programs)) {
      best = cost;
    }
  }
  return *best;
}

}  // namespace

TEST_CASE("placements of up to 14 nodes cost as little as any, with as few programs as any of that cost") {
  constexpr unsigned max_nodes = 14, seeds = 600;
  for (unsigned seed = 1; seed <= seeds; ++seed) {
    std::mt19937 random(seed);
    const PlacementGraph graph = random_placement(random, 1 + random() % max_nodes);
    const Placed placed = place(graph);
    const PlacementCost found = simple_cost(graph, placed.on_device), least = least_cost(graph);
    INFO("seed " << seed);
    REQUIRE(found.nanoseconds == least.nanoseconds);
    REQUIRE(found.programs == least.programs);
    REQUIRE(placed.cost.nanoseconds == least.nanoseconds);
    REQUIRE(placed.cost.programs == least.programs);
    REQUIRE(placed.is_optimal);
    REQUIRE(placed.lower_bound == least.nanoseconds);
  }
}

TEST_CASE("placements of larger graphs are near the bound, and the least cost if programs start for nothing") {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    std::mt19937 random(seed);
    PlacementGraph graph = random_placement(random, 2000);
    const Placed placed = place(graph);
    INFO("seed " << seed << ", start " << graph.start);
    const PlacementCost found = simple_cost(graph, placed.on_device);
    CHECK(found.nanoseconds == placed.cost.nanoseconds);
    CHECK(found.programs == placed.cost.programs);
    CHECK(placed.cost.nanoseconds <= placed.lower_bound + graph.start * static_cast<double>(placed.cost.programs));
    if (graph.start == 0) {
      CHECK(placed.cost.nanoseconds == placed.lower_bound);
    }
  }
}

TEST_CASE("what only one side runs is there, and one op on the host divides a chain into two programs") {
  PlacementGraph chain;
  chain.start = 5;
  for (std::uint32_t i = 0; i < 5; ++i) {
    chain.nodes.push_back({PlacementGraph::never, 1});
    chain.values.push_back({i, 2, {i < 4 ? i + 1 : outside_of_graph}});
  }
  chain.nodes[2] = {1, PlacementGraph::never};
  const Placed placed = place(chain);
  CHECK(placed.on_device == std::vector<bool>{true, true, false, true, true});
  CHECK(placed.cost.programs == 2);
  CHECK(placed.cost.nanoseconds == 5 + 3 * 2 + 2 * 5);
  CHECK(turns(chain, placed.on_device) == std::vector<std::uint32_t>{1, 1, 2, 3, 3});
}

TEST_CASE("a region that costs more to reach than it saves stays where it is") {
  PlacementGraph graph;
  for (std::uint32_t i = 0; i < 3; ++i) {
    graph.nodes.push_back({10, 1});
    graph.values.push_back({i, 2, {i < 2 ? i + 1 : outside_of_graph}});
  }
  graph.values.push_back({outside_of_graph, 2, {0}});
  graph.start = 22;  // the device saves 27, and its copies cost 4
  CHECK(place(graph).on_device == std::vector<bool>{true, true, true});
  graph.start = 24;
  CHECK(place(graph).on_device == std::vector<bool>{false, false, false});
}

TEST_CASE("the time of a placement grows with the program") {
  std::mt19937 random(5);
  constexpr std::uint32_t count = 100'000;
  PlacementGraph graph;
  graph.start = 10;
  for (std::uint32_t i = 0; i < count; ++i) {
    graph.nodes.push_back({static_cast<double>(random() % 12), static_cast<double>(random() % 12)});
    graph.values.push_back({i, static_cast<double>(random() % 8), {}});
    for (unsigned k = i == 0 ? 0 : random() % 3; k > 0; --k) {
      PlacementGraph::Value &operand = graph.values[i - 1 - random() % std::min<std::uint32_t>(i, 50)];
      if (!uses(operand, i)) {
        operand.users.push_back(i);
      }
    }
  }
  // All nodes use one value as well.
  graph.values.push_back({outside_of_graph, 3, {}});
  for (std::uint32_t i = 0; i < count; ++i) {
    graph.values.back().users.push_back(i);
  }
  const auto begin = std::chrono::steady_clock::now();
  const Placed placed = place(graph);
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(60));
  CHECK(placed.cost.nanoseconds <= 1.01 * placed.lower_bound);
}

TEST_CASE("a minimum cut") {
  // The example of a network of six vertices whose flow is 23 in Cormen et al., Introduction to Algorithms.
  MinimumCut cut(6);
  for (const auto &[from, to, weight] : std::vector<std::tuple<std::uint32_t, std::uint32_t, double>>{
           {0, 1, 16}, {0, 2, 13}, {2, 1, 4}, {1, 3, 12}, {3, 2, 9}, {2, 4, 14}, {4, 3, 7}, {3, 5, 20}, {4, 5, 4}}) {
    cut.add_arc(from, to, weight);
  }
  CHECK(cut.find(0, 5) == 23);
  CHECK((cut.is_with_source(0) && cut.is_with_source(1) && cut.is_with_source(2) && cut.is_with_source(4)));
  CHECK((!cut.is_with_source(3) && !cut.is_with_source(5)));
  MinimumCut impossible(2);
  impossible.add_arc(0, 1, PlacementGraph::never);
  CHECK(!impossible.find(0, 1));
}

}  // namespace bp::compile
