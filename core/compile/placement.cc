#include "core/compile/placement.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

#include "core/compile/minimum_cut.h"

namespace bp::compile {
namespace {

constexpr std::uint32_t outside = PlacementGraph::outside;

// Lists by node, in one array.
struct Rows {
  std::vector<std::uint32_t> begin, items;

  std::span<const std::uint32_t> of(std::uint32_t row) const {
    return std::span(items).subspan(begin[row], begin[row + 1] - begin[row]);
  }
};

// `visit` calls its argument with each pair of row and item, the same at each call.
template <class Visit>
Rows make_rows(std::size_t count, Visit &&visit) {
  Rows rows;
  rows.begin.resize(count + 1);
  visit([&](std::uint32_t row, std::uint32_t) { ++rows.begin[row + 1]; });
  for (std::size_t i = 0; i < count; ++i) {
    rows.begin[i + 1] += rows.begin[i];
  }
  rows.items.resize(rows.begin[count]);
  std::vector<std::uint32_t> next(rows.begin.begin(), rows.begin.end() - 1);
  visit([&](std::uint32_t row, std::uint32_t item) { rows.items[next[row]++] = item; });
  return rows;
}

// By node: the values that it makes, the values that it uses, the nodes that it runs after.
struct Neighbours {
  explicit Neighbours(const PlacementGraph &graph)
      : made(make_rows(graph.nodes.size(),
                       [&](auto &&add) {
                         for (std::uint32_t v = 0; v < graph.values.size(); ++v) {
                           if (graph.values[v].from != outside) {
                             add(graph.values[v].from, v);
                           }
                         }
                       })),
        used(make_rows(graph.nodes.size(),
                       [&](auto &&add) {
                         for (std::uint32_t v = 0; v < graph.values.size(); ++v) {
                           for (const std::uint32_t user : graph.values[v].users) {
                             if (user != outside) {
                               add(user, v);
                             }
                           }
                         }
                       })),
        before(make_rows(graph.nodes.size(), [&](auto &&add) {
          for (const auto &[first, second] : graph.order) {
            add(second, first);
          }
        })) {}

  Rows made, used, before;
};

std::vector<std::uint32_t> turns_of(const PlacementGraph &graph, const Neighbours &near,
                                    const std::vector<bool> &on_device) {
  std::vector<std::uint32_t> turn(graph.nodes.size());
  for (std::uint32_t node = 0; node < graph.nodes.size(); ++node) {
    std::uint32_t earliest = 0;
    for (const std::uint32_t value : near.used.of(node)) {
      const std::uint32_t from = graph.values[value].from;
      earliest = std::max(earliest, from == outside ? 0 : turn[from]);
    }
    for (const std::uint32_t first : near.before.of(node)) {
      earliest = std::max(earliest, turn[first]);
    }
    turn[node] = earliest + (earliest % 2 != (on_device[node] ? 1u : 0u) ? 1 : 0);
  }
  return turn;
}

std::int64_t programs_of(std::span<const std::uint32_t> turn) {
  return turn.empty() ? 0 : (*std::ranges::max_element(turn) + std::int64_t{1}) / 2;
}

bool is_there(const std::vector<bool> &on_device, std::uint32_t node) {
  return node != outside && on_device[node];
}

double copies_of(const PlacementGraph &graph, const std::vector<bool> &on_device) {
  double sum = 0;
  for (const PlacementGraph::Value &value : graph.values) {
    const bool from = is_there(on_device, value.from);
    const bool is_copied =
        std::ranges::any_of(value.users, [&](std::uint32_t user) { return is_there(on_device, user) != from; });
    sum += is_copied ? value.copy : 0;
  }
  return sum;
}

PlacementCost cost_with(const PlacementGraph &graph, const Neighbours &near, const std::vector<bool> &on_device) {
  double sum = copies_of(graph, on_device);
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    sum += on_device[i] ? graph.nodes[i].on_device : graph.nodes[i].on_host;
  }
  const std::int64_t programs = programs_of(turns_of(graph, near, on_device));
  return {sum + graph.start * static_cast<double>(programs), programs};
}

// Decides the nodes for which one side is better whatever happens to the others. A node that moves to the device costs
// at most the copies of its values from and to nodes that may be on the host, and one more program; likewise for a node
// that moves to the host. Each decision improves the bounds of its neighbours.
class Bounds {
 public:
  enum class State : std::uint8_t { Open, Host, Device };

  Bounds(const PlacementGraph &graph, const Neighbours &near)
      : graph_(graph), near_(near), state(graph.nodes.size(), State::Open), counts_(graph.values.size()) {
    for (std::size_t v = 0; v < graph.values.size(); ++v) {
      counts_[v].open = graph.values[v].users.size();
      if (std::ranges::find(graph.values[v].users, outside) != graph.values[v].users.end()) {
        --counts_[v].open;
        ++counts_[v].host;
      }
    }
    for (std::uint32_t node = 0; node < graph.nodes.size(); ++node) {
      pending_.push_back(node);
    }
    while (!pending_.empty()) {
      const std::uint32_t node = pending_.back();
      pending_.pop_back();
      if (state[node] == State::Open) {
        decide(node);
      }
    }
  }

 private:
  // Users of a value by their state.
  struct Counts {
    std::size_t open = 0, host = 0, device = 0;
  };

  State state_of(std::uint32_t node) const { return node == outside ? State::Host : state[node]; }

  // Returns what the copies cost at most if a node moves to a side, `there`.
  double copies(std::uint32_t node, State there) const {
    const bool to_device = there == State::Device;
    double sum = 0;
    for (const std::uint32_t v : near_.made.of(node)) {
      const Counts &counts = counts_[v];
      sum += counts.open + (to_device ? counts.host : counts.device) > 0 ? graph_.values[v].copy : 0;
    }
    for (const std::uint32_t v : near_.used.of(node)) {
      const Counts &counts = counts_[v];
      const bool is_copied_anyway = (to_device ? counts.device : counts.host) > 0;
      const bool is_there = state_of(graph_.values[v].from) == there;
      sum += is_copied_anyway || is_there ? 0 : graph_.values[v].copy;
    }
    return sum;
  }

  void decide(std::uint32_t node) {
    const auto [on_host, on_device] = graph_.nodes[node];
    if (on_host == PlacementGraph::never || on_host - on_device > copies(node, State::Device) + graph_.start) {
      set(node, State::Device);
    } else if (on_device == PlacementGraph::never || on_device - on_host > copies(node, State::Host) + graph_.start) {
      set(node, State::Host);
    }
  }

  void set(std::uint32_t node, State decided) {
    state[node] = decided;
    for (const std::uint32_t v : near_.made.of(node)) {
      review(v);
    }
    for (const std::uint32_t v : near_.used.of(node)) {
      Counts &counts = counts_[v];
      --counts.open;
      std::size_t &same = decided == State::Device ? counts.device : counts.host;
      if (++same == 1) {  // the others get the value on this side for nothing
        review(v);
      }
      if (counts.open == 0 && graph_.values[v].from != outside) {
        pending_.push_back(graph_.values[v].from);
      }
    }
  }

  void review(std::uint32_t value) {
    for (const std::uint32_t user : graph_.values[value].users) {
      if (user != outside && state[user] == State::Open) {
        pending_.push_back(user);
      }
    }
  }

  const PlacementGraph &graph_;
  const Neighbours &near_;

 public:
  std::vector<State> state;  // by node

 private:
  std::vector<Counts> counts_;  // by value
  std::vector<std::uint32_t> pending_;
};

std::vector<bool> with_open(const Bounds &bounds, bool open_on_device) {
  std::vector<bool> on_device(bounds.state.size());
  for (std::size_t i = 0; i < on_device.size(); ++i) {
    on_device[i] = bounds.state[i] == Bounds::State::Open ? open_on_device : bounds.state[i] == Bounds::State::Device;
  }
  return on_device;
}

// Tries all placements of the open nodes.
Placed try_all(const PlacementGraph &graph, const Neighbours &near, const Bounds &bounds,
               std::span<const std::uint32_t> open) {
  Placed best{with_open(bounds, true), {}, true, 0};
  best.cost = cost_with(graph, near, best.on_device);
  std::vector<bool> on_device = best.on_device;
  for (std::uint64_t choice = 1; choice < std::uint64_t{1} << open.size(); ++choice) {
    for (std::size_t k = 0; k < open.size(); ++k) {
      on_device[open[k]] = (choice >> k & 1) == 0;
    }
    if (const PlacementCost cost = cost_with(graph, near, on_device); cost.is_better_than(best.cost)) {
      best.on_device = on_device;
      best.cost = cost;
    }
  }
  best.lower_bound = best.cost.nanoseconds;
  return best;
}

// Returns the placement of least cost without the starts of programs, and that cost; nothing if that takes too long.
std::optional<std::pair<std::vector<bool>, double>> minimum_cut_of(const PlacementGraph &graph, const Bounds &bounds) {
  constexpr std::uint32_t device = 0, host = 1;  // the ends; the device's side is that of the source
  MinimumCut cut(2);
  std::vector<std::uint32_t> vertex(graph.nodes.size());
  double decided = 0;
  for (std::uint32_t i = 0; i < graph.nodes.size(); ++i) {
    switch (bounds.state[i]) {
      case Bounds::State::Device:
        vertex[i] = device;
        decided += graph.nodes[i].on_device;
        break;
      case Bounds::State::Host:
        vertex[i] = host;
        decided += graph.nodes[i].on_host;
        break;
      case Bounds::State::Open:
        vertex[i] = cut.add_vertex();
        cut.add_arc(device, vertex[i], graph.nodes[i].on_host);
        cut.add_arc(vertex[i], host, graph.nodes[i].on_device);
    }
  }
  const auto vertex_of = [&](std::uint32_t node) { return node == outside ? host : vertex[node]; };
  for (const PlacementGraph::Value &value : graph.values) {
    if (value.copy == 0 || value.users.empty()) {
      continue;
    }
    const std::uint32_t from = vertex_of(value.from), to_host = cut.add_vertex(), to_device = cut.add_vertex();
    cut.add_arc(from, to_host, value.copy);
    cut.add_arc(to_device, from, value.copy);
    for (const std::uint32_t user : value.users) {
      cut.add_arc(to_host, vertex_of(user), PlacementGraph::never);
      cut.add_arc(vertex_of(user), to_device, PlacementGraph::never);
    }
  }
  const std::optional<double> flow = cut.find(device, host);
  if (!flow) {
    return std::nullopt;
  }
  std::vector<bool> on_device(graph.nodes.size());
  for (std::size_t i = 0; i < on_device.size(); ++i) {
    on_device[i] = cut.is_with_source(vertex[i]);
  }
  return std::pair(std::move(on_device), decided + *flow);
}

// Moves all nodes of a turn to the other side where that costs less, which saves a program.
class Improvement {
 public:
  Improvement(const PlacementGraph &graph, const Neighbours &near, std::vector<bool> on_device)
      : graph_(graph), near_(near) {
    result_.on_device = std::move(on_device);
    result_.cost = cost_with(graph, near, result_.on_device);
  }

  Placed run() {
    constexpr int max_rounds = 16;
    for (int round = 0; round < max_rounds; ++round) {
      std::vector<bool> moved = result_.on_device;
      if (!move_turns(moved)) {
        break;
      }
      const PlacementCost cost = cost_with(graph_, near_, moved);
      if (!cost.is_better_than(result_.cost)) {
        break;
      }
      result_.on_device = std::move(moved);
      result_.cost = cost;
    }
    return std::move(result_);
  }

 private:
  // Moves turns that have no value in common with others that move. Returns whether there are any.
  bool move_turns(std::vector<bool> &on_device) const {
    const std::vector<std::uint32_t> turn = turns_of(graph_, near_, on_device);
    const std::vector<double> change = changes(on_device, turn);
    std::vector<std::uint32_t> candidates;
    for (std::uint32_t t = 0; t < change.size(); ++t) {
      if (change[t] < 0) {
        candidates.push_back(t);
      }
    }
    std::ranges::stable_sort(candidates, {}, [&](std::uint32_t t) { return change[t]; });
    std::vector<bool> moves(change.size());
    for (const std::uint32_t t : candidates) {
      moves[t] = !((t > 0 && moves[t - 1]) || (t + 1 < moves.size() && moves[t + 1]));
    }
    for (std::size_t i = 0; i < turn.size(); ++i) {
      if (moves[turn[i]]) {
        on_device[i] = !on_device[i];
      }
    }
    return !candidates.empty();
  }

  // By turn: how the cost changes if all of its nodes move to the other side.
  std::vector<double> changes(const std::vector<bool> &on_device, const std::vector<std::uint32_t> &turn) const {
    const std::size_t count = turn.empty() ? 0 : std::size_t{*std::ranges::max_element(turn)} + 1;
    std::vector<double> change(count);
    for (std::size_t t = 0; t < count; ++t) {
      const bool saves_program = t % 2 == 1 || (t > 0 && t + 1 < count);
      change[t] = saves_program ? -graph_.start : 0;
    }
    for (std::size_t i = 0; i < turn.size(); ++i) {
      const PlacementGraph::Node &node = graph_.nodes[i];
      change[turn[i]] += on_device[i] ? node.on_host - node.on_device : node.on_device - node.on_host;
    }
    std::vector<std::uint32_t> near;  // turns of a value
    for (const PlacementGraph::Value &value : graph_.values) {
      near.clear();
      if (value.from != outside) {
        near.push_back(turn[value.from]);
      }
      for (const std::uint32_t user : value.users) {
        if (user != outside) {
          near.push_back(turn[user]);
        }
      }
      add_copies(value, turn, near, change);
    }
    return change;
  }

  // Adds the change of a value's copy for each turn in which it is made or used.
  static void add_copies(const PlacementGraph::Value &value, const std::vector<std::uint32_t> &turn,
                         std::vector<std::uint32_t> &near, std::vector<double> &change) {
    std::ranges::sort(near);
    const std::uint32_t made = value.from == outside ? outside : turn[value.from];
    const bool has_outside = std::ranges::find(value.users, outside) != value.users.end();
    std::size_t on_side[2] = {has_outside ? 1u : 0u, 0};  // users on the host, on the device
    for (const std::uint32_t user : value.users) {
      on_side[user == outside ? 0 : turn[user] % 2] += user == outside ? 0 : 1;
    }
    const std::size_t from = made == outside ? 0 : made % 2;
    const bool is_copied = on_side[1 - from] > 0;
    for (auto first = near.begin(); first != near.end();) {
      const std::uint32_t t = *first;
      const auto last = std::find_if(first, near.end(), [&](std::uint32_t other) { return other != t; });
      auto users = static_cast<std::size_t>(last - first) - (made == t ? 1 : 0);
      std::size_t moved[2] = {on_side[0], on_side[1]};
      moved[t % 2] -= users;
      moved[1 - t % 2] += users;
      const std::size_t new_from = made == t ? 1 - from : from;
      change[t] += ((moved[1 - new_from] > 0 ? 1 : 0) - (is_copied ? 1 : 0)) * value.copy;
      first = last;
    }
  }

  const PlacementGraph &graph_;
  const Neighbours &near_;
  Placed result_;
};

}  // namespace

bool PlacementCost::is_better_than(const PlacementCost &other) const {
  constexpr double rounding = 1e-9;
  const double margin = rounding * std::max(std::abs(nanoseconds), std::abs(other.nanoseconds));
  if (!(std::abs(nanoseconds - other.nanoseconds) <= margin)) {
    return nanoseconds < other.nanoseconds;
  }
  return programs < other.programs;
}

std::vector<std::uint32_t> turns(const PlacementGraph &graph, const std::vector<bool> &on_device) {
  return turns_of(graph, Neighbours(graph), on_device);
}

PlacementCost cost_of(const PlacementGraph &graph, const std::vector<bool> &on_device) {
  return cost_with(graph, Neighbours(graph), on_device);
}

Placed place(const PlacementGraph &graph) {
  const Neighbours near(graph);
  const Bounds bounds(graph, near);
  std::vector<std::uint32_t> open;
  for (std::uint32_t i = 0; i < graph.nodes.size(); ++i) {
    if (bounds.state[i] == Bounds::State::Open) {
      open.push_back(i);
    }
  }
  constexpr std::uint64_t max_work = 1 << 22;  // nodes visited to try all placements
  constexpr std::size_t max_tried = 14;
  if (open.size() <= max_tried && (std::uint64_t{1} << open.size()) * graph.nodes.size() <= max_work) {
    return try_all(graph, near, bounds, open);
  }
  Placed best = Improvement(graph, near, with_open(bounds, true)).run();
  const auto take = [&](Placed other) {
    if (other.cost.is_better_than(best.cost)) {
      best = std::move(other);
    }
  };
  take(Improvement(graph, near, with_open(bounds, false)).run());
  if (const auto cut = minimum_cut_of(graph, bounds)) {
    take(Improvement(graph, near, cut->first).run());
    const bool has_program = std::ranges::find(bounds.state, Bounds::State::Device) != bounds.state.end();
    best.lower_bound = cut->second + (has_program ? graph.start : 0);
  }
  return best;
}

}  // namespace bp::compile
