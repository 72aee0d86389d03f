#include "plugins/nvptx/gpu_graph.h"

#include <algorithm>
#include <utility>

#include "plugins/nvptx/gpu_launch.h"

namespace bp::nvptx {
namespace {

// The max number of graphs of a segment, one for each set of addresses. Another set replaces the graph whose last start
// was the longest ago.
constexpr std::size_t max_graphs = 4;

// The parameters of a command's node in a graph. They cannot be copied, because the arguments point into them.
class NodeParameters {
 public:
  NodeParameters(const gpu::LaunchPlan &plan, const gpu::Command &command, std::span<const cuda::Function> functions,
                 std::span<const cuda::Address> bases)
      : arguments_(plan, command, bases) {
    if (command.kind == gpu::CommandKind::Move) {
      copy_.to.address = arguments_.addresses()[0];
      copy_.from.address = arguments_.addresses()[1];
      copy_.bytes = command.size;
      return;
    }
    kernel_.function = functions[command.kernel];
    kernel_.blocks[0] = command.grid.blocks;
    kernel_.threads[0] = command.grid.threads;
    kernel_.shared_bytes = command.grid.shared_bytes;
    kernel_.values = arguments_.values();
  }
  NodeParameters(const NodeParameters &) = delete;
  NodeParameters &operator=(const NodeParameters &) = delete;

  // Makes the tensor maps, once, before kernel() is used.
  cuda::Result make_maps(const Driver &driver) { return arguments_.make_maps(driver); }
  const cuda::KernelNode &kernel() const { return kernel_; }
  const cuda::Copy &copy() const { return copy_; }

 private:
  LaunchArguments arguments_;
  cuda::KernelNode kernel_;
  cuda::Copy copy_;
};

}  // namespace

SegmentGraphs::SegmentGraphs(const GpuContext &gpu, const gpu::LaunchPlan &plan, const gpu::Segment &segment,
                             std::span<const cuda::Function> functions, const plugin::HostServices &services)
    : gpu_(gpu), plan_(plan), segment_(segment), functions_(functions), services_(services) {
  for (std::uint32_t c = segment.begin; c < segment.end; ++c) {
    for (const gpu::MemoryRange &range : gpu::ranges_of(plan, plan.commands[c])) {
      allocations_.push_back(range.allocation);
    }
  }
  std::ranges::sort(allocations_);
  allocations_.erase(std::unique(allocations_.begin(), allocations_.end()), allocations_.end());
}

SegmentGraphs::~SegmentGraphs() {
  for (Graph &graph : graphs_) {
    destroy(graph);
  }
}

plugin::Result<bool> SegmentGraphs::start(std::span<const cuda::Address> bases) {
  std::lock_guard lock(mutex_);
  if (is_disabled_) {
    return false;
  }
  auto graph = std::ranges::find_if(graphs_, [&](const Graph &one) { return fits(one, bases); });
  if (graph == graphs_.end()) {
    graph = graphs_.size() < max_graphs ? graphs_.emplace(graphs_.end())
                                        : std::ranges::min_element(graphs_, {}, &Graph::last_start);
    const std::vector<cuda::Address> before = std::exchange(graph->bases, {});
    const plugin::Status made = gpu_.call("making a graph of kernels", [&] {
      return before.empty() || update(*graph, before, bases) != 0 ? build(*graph, bases) : 0;
    });
    if (!made.ok()) {
      return do_without(graph, made.error());
    }
    graph->bases.assign(bases.begin(), bases.end());
  }
  graph->last_start = ++starts_;
  const plugin::Status started = gpu_.call("starting a graph of kernels", [&] {
    return gpu_.driver().cuGraphLaunch(graph->runnable, cuda::stream_of_thread);
  });
  return started.ok() ? true : do_without(graph, started.error());
}

plugin::Result<bool> SegmentGraphs::do_without(std::vector<Graph>::iterator graph, const plugin::Error &error) {
  destroy(*graph);
  graphs_.erase(graph);
  if (error.status() == BP_DEVICE_LOST) {
    return error;
  }
  if (error.status() != BP_NO_MEMORY) {
    is_disabled_ = true;
    services_.log(BP_LOG_WARNING,
                  std::string(message_prefix) + error.message() + "; these kernels are started one by one");
  }
  return false;
}

bool SegmentGraphs::fits(const Graph &graph, std::span<const cuda::Address> bases) const {
  return !graph.bases.empty() &&
         std::ranges::all_of(allocations_, [&](std::uint32_t one) { return graph.bases[one] == bases[one]; });
}

cuda::Result SegmentGraphs::build(Graph &graph, std::span<const cuda::Address> bases) const {
  destroy(graph);
  const Driver &driver = gpu_.driver();
  cuda::Result result = driver.cuGraphCreate(&graph.graph, 0);
  for (std::uint32_t c = segment_.begin; c < segment_.end && result == 0; ++c) {
    const gpu::Command &command = plan_.commands[c];
    NodeParameters parameters(plan_, command, functions_, bases);
    if (result = parameters.make_maps(driver); result != 0) {
      break;
    }
    std::vector<cuda::GraphNode> before;
    for (const std::uint32_t one : gpu::dependences_of(plan_, command)) {
      before.push_back(graph.nodes[one - segment_.begin]);
    }
    cuda::GraphNode &node = graph.nodes.emplace_back();
    result =
        command.kind == gpu::CommandKind::Move
            ? driver.cuGraphAddMemcpyNode(&node, graph.graph, before.data(), before.size(), &parameters.copy(),
                                          gpu_.handle())
            : driver.cuGraphAddKernelNode_v2(&node, graph.graph, before.data(), before.size(), &parameters.kernel());
  }
  return result == 0 ? driver.cuGraphInstantiateWithFlags(&graph.runnable, graph.graph, 0) : result;
}

// The graph may be running; the update does not affect that run.
cuda::Result SegmentGraphs::update(Graph &graph, std::span<const cuda::Address> before,
                                   std::span<const cuda::Address> bases) const {
  const Driver &driver = gpu_.driver();
  cuda::Result result = 0;
  for (std::uint32_t c = segment_.begin; c < segment_.end && result == 0; ++c) {
    const gpu::Command &command = plan_.commands[c];
    if (std::ranges::all_of(gpu::ranges_of(plan_, command), [&](const gpu::MemoryRange &range) {
          return before[range.allocation] == bases[range.allocation];
        })) {
      continue;
    }
    NodeParameters parameters(plan_, command, functions_, bases);
    if (result = parameters.make_maps(driver); result != 0) {
      break;
    }
    const cuda::GraphNode node = graph.nodes[c - segment_.begin];
    result = command.kind == gpu::CommandKind::Move
                 ? driver.cuGraphExecMemcpyNodeSetParams(graph.runnable, node, &parameters.copy(), gpu_.handle())
                 : driver.cuGraphExecKernelNodeSetParams_v2(graph.runnable, node, &parameters.kernel());
  }
  return result;
}

// A graph that is running still runs to its end.
void SegmentGraphs::destroy(Graph &graph) const {
  const Driver &driver = gpu_.driver();
  if (graph.runnable != nullptr) {
    gpu_.give_back([&] { return driver.cuGraphExecDestroy(graph.runnable); });
  }
  if (graph.graph != nullptr) {
    gpu_.give_back([&] { return driver.cuGraphDestroy(graph.graph); });
  }
  graph = {};
}

}  // namespace bp::nvptx
