// A segment of a launch plan as CUDA graphs. A graph is started by one call however many commands it has, and the GPU
// runs at the same time what the plan's dependences leave free.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plugins/gpu/dependences.h"
#include "plugins/nvptx/gpu_context.h"

namespace bp::nvptx {

// A kernel's arguments are addresses, so a graph is for one set of them. There are several, which keeps runs of the
// program at the same time from waiting for each other: the driver orders launches of one graph, and only those. Runs
// with the same addresses could not be at the same time anyway. Threads: any.
class SegmentGraphs {
 public:
  // functions: by kernel. All are kept, and outlive this.
  SegmentGraphs(const GpuContext &gpu, const gpu::LaunchPlan &plan, const gpu::Segment &segment,
                std::span<const cuda::Function> functions, const plugin::HostServices &services);
  ~SegmentGraphs();
  SegmentGraphs(const SegmentGraphs &) = delete;
  SegmentGraphs &operator=(const SegmentGraphs &) = delete;

  // Starts the segment on the calling thread's stream, with the allocations at `bases`. Nothing, and nothing was started,
  // if the driver makes no graph of it: its memory may be full. For any other reason it is not tried again, and the host
  // is told.
  std::optional<bp_status> start(std::span<const cuda::Address> bases, const bp_diag_t *diag);

 private:
  struct Graph {
    cuda::Graph graph = nullptr;
    std::vector<cuda::GraphNode> nodes;  // by command of the segment
    cuda::GraphExec runnable = nullptr;
    std::vector<cuda::Address> bases;  // empty: it is not whole
    std::uint64_t last_start = 0;
  };

  bool fits(const Graph &graph, std::span<const cuda::Address> bases) const;
  cuda::Result build(Graph &graph, std::span<const cuda::Address> bases) const;
  // before: the bases that it has so far.
  cuda::Result update(Graph &graph, std::span<const cuda::Address> before, std::span<const cuda::Address> bases) const;
  // What start() returns if one was not made, or not started.
  std::optional<bp_status> do_without(std::vector<Graph>::iterator graph, bp_status status, const std::string &message,
                                      const bp_diag_t *diag);
  void destroy(Graph &graph) const;

  const GpuContext &gpu_;
  const gpu::LaunchPlan &plan_;
  const gpu::Segment segment_;
  const std::span<const cuda::Function> functions_;
  const plugin::HostServices &services_;
  std::vector<std::uint32_t> allocations_;  // that the segment uses
  std::mutex mutex_;                        // the driver lets one thread at a time touch a graph
  std::vector<Graph> graphs_;
  std::uint64_t starts_ = 0;
  bool is_hopeless_ = false;
};

}  // namespace bp::nvptx
