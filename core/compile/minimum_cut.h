// Minimum cut: divides the vertices of a graph between a source and a sink so that the arcs from the source's side to
// the sink's weigh as little as possible. By Dinic's algorithm.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace bp::compile {

class MinimumCut {
 public:
  explicit MinimumCut(std::uint32_t vertices) : first_(vertices, none) {}

  std::uint32_t add_vertex() {
    first_.push_back(none);
    return static_cast<std::uint32_t>(first_.size()) - 1;
  }
  // `weight`: at least 0; infinite: the arc is never cut.
  void add_arc(std::uint32_t from, std::uint32_t to, double weight);

  // Returns the weight of the cut; nothing if finding it takes more than about 200 steps per arc, or if every cut is
  // infinite. To be called once.
  std::optional<double> find(std::uint32_t source, std::uint32_t sink);
  // After find(): whether the vertex is on the source's side.
  bool is_with_source(std::uint32_t vertex) const { return level_[vertex] != none; }

 private:
  static constexpr std::uint32_t none = 0xffffffff;
  struct Arc {
    std::uint32_t to, next;  // `next`: of the same vertex
    double left;             // what can still flow
  };

  bool find_levels(std::uint32_t source, std::uint32_t sink);
  double push(std::uint32_t source, std::uint32_t sink);

  std::vector<std::uint32_t> first_, current_, level_;  // by vertex: arcs, and the distance from the source
  std::vector<Arc> arcs_;                               // the arc back is at the index with the last bit flipped
  std::uint64_t steps_ = 0;
};

}  // namespace bp::compile
