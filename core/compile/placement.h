// Placement: which instructions a device runs if it does not run the whole program, decided by cost.
//
// The cost is the time of all instructions where they run, of the copies of values between device and host, and of
// starting the device's programs. Of several placements of the same cost, the one with fewest programs is taken.
//
// Without the programs' starts this is a minimum cut. With them, no polynomial algorithm is known, but nearly all
// instructions of a program are decided by bounds: where one saves more than its copies and a start can cost, whatever
// happens to the others, it stays. If few are left, all of their placements are tried, and the result is the optimum.
// Otherwise the best of three placements is improved: all that is open on the device, all of it on the host, and the
// minimum cut, which also gives a lower bound of the cost.
#pragma once

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace bp::compile {

// The instructions to place. Nodes are numbered such that operands come before their users.
struct PlacementGraph {
  static constexpr double never = std::numeric_limits<double>::infinity();
  static constexpr std::uint32_t outside = 0xffffffff;  // the caller of the program, whose values are on the host

  // Nanoseconds; `never`: the node cannot run there. Not both.
  struct Node {
    double on_host = 0, on_device = 0;
  };
  // A value is copied at most once, if some user is not where it is made.
  struct Value {
    std::uint32_t from = outside;
    double copy = 0;                   // nanoseconds of a copy to the other side
    std::vector<std::uint32_t> users;  // nodes, or `outside` for a result of the program; each once
  };

  std::vector<Node> nodes;
  std::vector<Value> values;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> order;  // the first runs before the second, without a value
  double start = 0;                                            // nanoseconds to start a program of the device
};

struct PlacementCost {
  double nanoseconds = 0;     // including the starts of programs
  std::int64_t programs = 0;  // of the device

  // Whether it is less by more than rounding errors, or equal with fewer programs.
  bool is_better_than(const PlacementCost &other) const;
};

struct Placed {
  std::vector<bool> on_device;  // by node
  PlacementCost cost;
  bool is_optimal = false;
  double lower_bound = 0;  // of the nanoseconds of any placement
};

// By node: the turn in which it runs if host and device alternate. Even: the host's, odd: the device's. Each node runs
// in the first turn of its kind that is not before any node that it depends on, so that there are as few turns as
// possible. Linear.
std::vector<std::uint32_t> turns(const PlacementGraph &graph, const std::vector<bool> &on_device);

PlacementCost cost_of(const PlacementGraph &graph, const std::vector<bool> &on_device);

// Nearly linear; see above.
Placed place(const PlacementGraph &graph);

}  // namespace bp::compile
