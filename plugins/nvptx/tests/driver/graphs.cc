#include "plugins/nvptx/tests/driver/state.h"

#include <algorithm>

namespace bp::nvptx::test_driver {
namespace {

Result check_node(const Node &node) {
  if (node.kernel != nullptr) {
    return check_arguments(*node.kernel, node.arguments);
  }
  const bool is_in_memory = node.bytes > 0 && bytes_at(node.to, node.bytes, "the target") != nullptr &&
                            bytes_at(node.from, node.bytes, "the source") != nullptr;
  return is_in_memory ? 0 : problem("a copy of nothing", cuda::invalid_value);
}

Result set_kernel(Node &node, const cuda::KernelNode &from) {
  node.kernel = find_kernel(from.function);
  node.arguments.clear();
  const Result result =
      check_launch(node.kernel, std::uint64_t{from.threads[0]} * from.threads[1] * from.threads[2], from.blocks[0],
                   from.blocks[1], from.blocks[2], from.shared_bytes, from.values, from.extra, node.arguments);
  if (result != 0 || from.kernel != nullptr) {
    return problem("a kernel's parameters", cuda::invalid_value);
  }
  return check_node(node);
}

Result set_copy(Node &node, const cuda::Copy &from, cuda::Context on) {
  // A pitch says where the next row is, and may be left out. There is a largest one.
  const auto is_plain = [&](const cuda::Copy::End &end) {
    return end.memory_type == 2 && end.x == 0 && end.y == 0 && end.z == 0 && end.level == 0 && end.host == nullptr &&
           end.array == nullptr && end.reserved == nullptr && (end.pitch == 0 || end.pitch >= from.bytes) &&
           end.pitch <= INT32_MAX && (end.height == 0 || end.height >= from.rows);
  };
  if (on != the_context || !is_plain(from.from) || !is_plain(from.to) || from.rows != 1 || from.slices != 1) {
    return problem("a copy that is not of bytes in a row", cuda::invalid_value);
  }
  node.to = from.to.address;
  node.from = from.from.address;
  node.bytes = from.bytes;
  return check_node(node);
}

// The number of a node; nothing, and a problem, if it is not in the graph.
std::optional<std::size_t> number_of(const Graph &graph, cuda::GraphNode node) {
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    if (&graph.nodes[i] == reinterpret_cast<const Node *>(node)) {
      return i;
    }
  }
  problem("there is no such node", 0);
  return std::nullopt;
}

// set: what the node is, apart from its dependences.
template <class Set>
Result add_node(cuda::GraphNode *made, cuda::Graph to, const cuda::GraphNode *dependences, std::size_t count,
                Set &&set) {
  const auto graph = state.graphs.find(to);
  if (graph == state.graphs.end()) {
    return problem("there is no such graph", cuda::invalid_handle);
  }
  Node node;
  for (std::size_t i = 0; i < count; ++i) {
    const auto number = number_of(*graph->second, dependences[i]);
    if (!number || std::ranges::count(dependences, dependences + count, dependences[i]) != 1) {
      return problem("a dependence", cuda::invalid_value);
    }
    node.after.push_back(*number);
  }
  const Result result = set(node);
  if (result == 0) {
    *made = reinterpret_cast<cuda::GraphNode>(&graph->second->nodes.emplace_back(std::move(node)));
  }
  return result;
}

template <class Set>
Result change_node(cuda::GraphExec in, cuda::GraphNode changed, bool is_kernel, Set &&set) {
  const auto found = state.executables.find(in);
  const auto graph = found == state.executables.end() ? state.graphs.end() : state.graphs.find(found->second->graph);
  if (graph == state.graphs.end()) {
    return problem("there is no such executable, or its graph is gone", cuda::invalid_handle);
  }
  const auto number = number_of(*graph->second, changed);
  if (!number || (graph->second->nodes[*number].kernel != nullptr) != is_kernel) {
    return problem("a node of another kind", cuda::invalid_value);
  }
  return set(found->second->nodes[*number]);
}

// Last ones first, as far as their dependences let them.
std::vector<std::size_t> order_of(const std::vector<Node> &nodes) {
  std::vector<std::size_t> order;
  std::vector<bool> is_done(nodes.size());
  while (order.size() < nodes.size()) {
    std::size_t next = nodes.size();
    do {
      --next;
    } while (is_done[next] || !std::ranges::all_of(nodes[next].after, [&](std::size_t one) { return is_done[one]; }));
    is_done[next] = true;
    order.push_back(next);
  }
  return order;
}

}  // namespace

Result cuGraphCreate(cuda::Graph *made, unsigned flags) {
  return call("cuGraphCreate", context, [&]() -> Result {
    if (flags != 0) {
      return problem("it takes no flags", cuda::invalid_value);
    }
    auto graph = std::make_unique<Graph>();
    *made = reinterpret_cast<cuda::Graph>(graph.get());
    state.graphs.emplace(graph.get(), std::move(graph));
    return 0;
  });
}

Result cuGraphDestroy(cuda::Graph graph) {
  return call("cuGraphDestroy", context_to_end, [&]() -> Result {
    return state.graphs.erase(graph) == 1 ? 0 : problem("there is no such graph", cuda::invalid_handle);
  });
}

Result cuGraphAddKernelNode_v2(cuda::GraphNode *made, cuda::Graph graph, const cuda::GraphNode *dependences,
                               std::size_t count, const cuda::KernelNode *parameters) {
  return call("cuGraphAddKernelNode_v2", context, [&]() -> Result {
    return add_node(made, graph, dependences, count, [&](Node &node) { return set_kernel(node, *parameters); });
  });
}

Result cuGraphAddMemcpyNode(cuda::GraphNode *made, cuda::Graph graph, const cuda::GraphNode *dependences,
                            std::size_t count, const cuda::Copy *copied, cuda::Context on) {
  return call("cuGraphAddMemcpyNode", context, [&]() -> Result {
    return add_node(made, graph, dependences, count, [&](Node &node) { return set_copy(node, *copied, on); });
  });
}

Result cuGraphInstantiateWithFlags(cuda::GraphExec *made, cuda::Graph of, unsigned long long flags) {
  return call("cuGraphInstantiateWithFlags", context, [&]() -> Result {
    const auto graph = state.graphs.find(of);
    if (graph == state.graphs.end() || flags != 0) {
      return problem("there is no such graph, or it takes no flags", cuda::invalid_handle);
    }
    auto executable = std::make_unique<Executable>();
    executable->graph = of;
    executable->nodes.assign(graph->second->nodes.begin(), graph->second->nodes.end());
    *made = reinterpret_cast<cuda::GraphExec>(executable.get());
    state.executables.emplace(executable.get(), std::move(executable));
    return 0;
  });
}

Result cuGraphExecKernelNodeSetParams_v2(cuda::GraphExec in, cuda::GraphNode changed,
                                         const cuda::KernelNode *parameters) {
  return call("cuGraphExecKernelNodeSetParams_v2", context, [&]() -> Result {
    return change_node(in, changed, true, [&](Node &node) { return set_kernel(node, *parameters); });
  });
}

Result cuGraphExecMemcpyNodeSetParams(cuda::GraphExec in, cuda::GraphNode changed, const cuda::Copy *copied,
                                      cuda::Context on) {
  return call("cuGraphExecMemcpyNodeSetParams", context, [&]() -> Result {
    return change_node(in, changed, false, [&](Node &node) { return set_copy(node, *copied, on); });
  });
}

Result cuGraphLaunch(cuda::GraphExec started, cuda::Stream on) {
  return call("cuGraphLaunch", context, [&]() -> Result {
    const auto found = state.executables.find(started);
    const auto key = key_of(on);
    if (found == state.executables.end() || !key) {
      return problem("there is no such executable graph", cuda::invalid_handle);
    }
    Executable &executable = *found->second;
    Work &stream = state.streams[*key];
    if (executable.last_start) {
      stream.waiting.push_back({nullptr, nullptr, 0, executable.last_start});
    }
    for (const std::size_t i : order_of(executable.nodes)) {
      const Node &node = executable.nodes[i];
      if (const Result result = check_node(node); result != 0) {
        return result;
      }
      if (node.kernel == nullptr) {
        copy(stream, bytes_at(node.to, node.bytes, "the target"), bytes_at(node.from, node.bytes, "the source"),
             node.bytes, nullptr);
      }
    }
    executable.last_start = {*key, stream.done + stream.waiting.size()};
    return 0;
  });
}

// A graph that is running runs to its end.
Result cuGraphExecDestroy(cuda::GraphExec executable) {
  return call("cuGraphExecDestroy", context_to_end, [&]() -> Result {
    return state.executables.erase(executable) == 1
               ? 0
               : problem("there is no such executable graph", cuda::invalid_handle);
  });
}

}  // namespace bp::nvptx::test_driver
