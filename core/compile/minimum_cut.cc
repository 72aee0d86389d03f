#include "core/compile/minimum_cut.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace bp::compile {

void MinimumCut::add_arc(std::uint32_t from, std::uint32_t to, double weight) {
  if (from == to) {
    return;
  }
  arcs_.push_back({to, first_[from], weight});
  first_[from] = static_cast<std::uint32_t>(arcs_.size()) - 1;
  arcs_.push_back({from, first_[to], 0});
  first_[to] = static_cast<std::uint32_t>(arcs_.size()) - 1;
}

// Sets the levels of the vertices that flow can reach. Returns whether the sink is one.
bool MinimumCut::find_levels(std::uint32_t source, std::uint32_t sink) {
  level_.assign(first_.size(), none);
  level_[source] = 0;
  std::vector<std::uint32_t> queue = {source};
  for (std::size_t i = 0; i < queue.size(); ++i) {
    for (std::uint32_t a = first_[queue[i]]; a != none; a = arcs_[a].next) {
      ++steps_;
      if (arcs_[a].left > 0 && level_[arcs_[a].to] == none) {
        level_[arcs_[a].to] = level_[queue[i]] + 1;
        queue.push_back(arcs_[a].to);
      }
    }
  }
  return level_[sink] != none;
}

// Pushes flow along one path of growing levels. Returns how much; 0: there is no path.
double MinimumCut::push(std::uint32_t source, std::uint32_t sink) {
  std::vector<std::uint32_t> path;
  std::uint32_t at = source;
  while (at != sink) {
    std::uint32_t &a = current_[at];
    while (a != none && (arcs_[a].left <= 0 || level_[arcs_[a].to] != level_[at] + 1)) {
      a = arcs_[a].next;
      ++steps_;
    }
    if (a != none) {
      path.push_back(a);
      at = arcs_[a].to;
      ++steps_;
    } else if (path.empty()) {
      return 0;
    } else {
      at = arcs_[path.back() ^ 1].to;
      path.pop_back();
      current_[at] = arcs_[current_[at]].next;
    }
  }
  double most = std::numeric_limits<double>::infinity();
  for (const std::uint32_t a : path) {
    most = std::min(most, arcs_[a].left);
  }
  for (const std::uint32_t a : path) {
    arcs_[a].left -= most;
    arcs_[a ^ 1].left += most;
  }
  return most;
}

std::optional<double> MinimumCut::find(std::uint32_t source, std::uint32_t sink) {
  constexpr std::uint64_t steps_per_arc = 200;
  double flow = 0;
  while (find_levels(source, sink)) {
    current_ = first_;
    while (const double pushed = push(source, sink)) {
      flow += pushed;
      if (!std::isfinite(flow) || steps_ > steps_per_arc * (arcs_.size() + 100)) {
        return std::nullopt;
      }
    }
  }
  return flow;
}

}  // namespace bp::compile
