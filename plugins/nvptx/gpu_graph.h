// GPU graph: a segment of a launch plan as CUDA graphs. A graph is started by one call, however many commands it has,
// and the GPU runs commands at the same time if the plan's dependences allow it.
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "plugins/gpu/dependences.h"
#include "plugins/nvptx/gpu_context.h"

namespace bp::nvptx {

// The arguments of kernels are addresses, so a graph is for one set of addresses. There are several graphs, so that
// runs of the program at the same time do not wait for each other: the driver orders the launches of one graph, and
// only those. Runs with the same addresses could not take place at the same time anyway. Threads: any.
class SegmentGraphs {
 public:
  // functions: by kernel. Keeps references to all arguments, which must outlive it.
  SegmentGraphs(const GpuContext &gpu, const gpu::LaunchPlan &plan, const gpu::Segment &segment,
                std::span<const cuda::Function> functions, const plugin::HostServices &services);
  ~SegmentGraphs();
  SegmentGraphs(const SegmentGraphs &) = delete;
  SegmentGraphs &operator=(const SegmentGraphs &) = delete;

  // Starts the segment on the calling thread's stream, with the allocations at `bases`. Returns false, and has started
  // nothing, if the driver makes no graph of it, for example because its memory is full. For any other reason the host
  // is told, and graphs are not tried again.
  plugin::Result<bool> start(std::span<const cuda::Address> bases);

 private:
  struct Graph {
    cuda::Graph graph = nullptr;
    std::vector<cuda::GraphNode> nodes;  // by command of the segment
    cuda::GraphExec runnable = nullptr;
    std::vector<cuda::Address> bases;  // empty: the graph is incomplete
    std::uint64_t last_start = 0;
  };

  bool fits(const Graph &graph, std::span<const cuda::Address> bases) const;
  cuda::Result build(Graph &graph, std::span<const cuda::Address> bases) const;
  // before: the bases that the graph has so far.
  cuda::Result update(Graph &graph, std::span<const cuda::Address> before, std::span<const cuda::Address> bases) const;
  // Removes a graph that was not made, or not started, because of the error. Returns the result of start().
  plugin::Result<bool> do_without(std::vector<Graph>::iterator graph, const plugin::Error &error);
  void destroy(Graph &graph) const;

  const GpuContext &gpu_;
  const gpu::LaunchPlan &plan_;
  const gpu::Segment segment_;
  const std::span<const cuda::Function> functions_;
  const plugin::HostServices &services_;
  std::vector<std::uint32_t> allocations_;  // indices of those that the segment uses
  std::mutex mutex_;                        // the driver lets one thread at a time use a graph
  std::vector<Graph> graphs_;
  std::uint64_t starts_ = 0;
  bool is_disabled_ = false;
};

}  // namespace bp::nvptx
