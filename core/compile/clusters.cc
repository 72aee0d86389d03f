#include "core/compile/clusters.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "core/analysis/cost.h"
#include "core/analysis/side_effects.h"
#include "core/analysis/trip_count.h"
#include "core/compile/placement.h"
#include "core/ir/origin.h"

namespace bp::compile {
namespace {

using ir::Instruction;
using ir::InstructionId;
using ir::Opcode;

// The interpreter's times, measured on instructions of 10^6 elements, on dots, and on a chain of 2,000 instructions of
// 4 elements.
constexpr double host_instruction_nanoseconds = 3000;
constexpr double host_contraction_nanoseconds = 0.5;
constexpr double host_operation_nanoseconds = 1;
constexpr double host_function_nanoseconds = 14;
constexpr double host_byte_nanoseconds = 1;
// A copy to or from a device's own memory: its start, and the rate of the link, unless the memory is slower.
constexpr double copy_nanoseconds = 5'000;
constexpr double link_gigabytes_per_second = 10;

double host_nanoseconds(const analysis::Cost &cost) {
  return host_contraction_nanoseconds * cost.contractions + host_operation_nanoseconds * cost.others +
         host_function_nanoseconds * cost.functions + host_byte_nanoseconds * cost.bytes;
}

// The instructions of the entry that do something, as nodes, and the values that pass between them.
class Graph {
 public:
  Graph(const ir::Module &module, const Claims &claims, const host::Device &device, const ClusterOptions &options)
      : module_(module),
        claims_(claims),
        options_(options),
        has_memory_(device.memory() != nullptr && (device.memory()->spaces[0].flags & BP_SPACE_HOST_VISIBLE) == 0),
        bandwidth_(has_memory_ && device.memory()->spaces[0].gb_per_s > 0
                       ? std::min(static_cast<double>(device.memory()->spaces[0].gb_per_s), link_gigabytes_per_second)
                       : link_gigabytes_per_second),
        costs_(analysis::costs_of_computations(module)),
        on_device_(module.computation_id_limit()),
        node_(module.instruction_id_limit(), PlacementGraph::outside),
        value_(module.instruction_id_limit(), PlacementGraph::outside),
        elements_(module.instruction_id_limit(), ir::no_instruction) {
    graph_.start = options.start_nanoseconds;
    for (const ir::Computation computation : module.computations()) {  // callees come first
      for (const Instruction i : computation.instructions()) {
        on_device_[index(computation.id())] += device_nanoseconds(i);
      }
    }
    add_nodes();
    use(module.entry().root().id(), PlacementGraph::outside);
  }

  const PlacementGraph &graph() const { return graph_; }
  // Returns the node of an instruction; PlacementGraph::outside if it only names values.
  std::uint32_t node(InstructionId id) const { return node_[index(id)]; }
  double host_nanoseconds_of(InstructionId id) const {
    return host_instruction_nanoseconds + host_nanoseconds(analysis::cost_of(module_.instruction(id), costs_));
  }

 private:
  // The device's claims are for one run of each instruction.
  double device_nanoseconds(Instruction i) const {
    double sum = static_cast<double>(claims_.cost[index(i.id())]);
    if (!i.is(ir::Trait::CallsControl)) {
      return sum;
    }
    const double trips = i.opcode() == Opcode::While ? static_cast<double>(analysis::trip_count(i).value_or(1)) : 1;
    for (const ir::ComputationId callee : i.calls()) {
      sum += trips * on_device_[index(callee)];
    }
    return sum;
  }

  void add_nodes() {
    const analysis::SideEffects side_effects(module_);
    std::uint32_t last_side_effect = PlacementGraph::outside;
    for (const Instruction i : module_.entry().instructions()) {
      if (only_names_values(i)) {
        name(i);
        continue;
      }
      const auto number = static_cast<std::uint32_t>(graph_.nodes.size());
      node_[index(i.id())] = number;
      graph_.nodes.push_back(times_of(i));
      add_value(i, number);
      for (const InstructionId operand : i.operands()) {
        use(operand, number);
      }
      for (const InstructionId before : i.control_predecessors()) {
        if (node_[index(before)] != PlacementGraph::outside) {
          graph_.order.emplace_back(node_[index(before)], number);
        }
      }
      if (side_effects.has(i)) {
        if (last_side_effect != PlacementGraph::outside) {
          graph_.order.emplace_back(last_side_effect, number);
        }
        last_side_effect = number;
      }
    }
  }

  PlacementGraph::Node times_of(Instruction i) const {
    const double host = host_nanoseconds_of(i.id());
    if (!claims_.claimed[index(i.id())] || uses_token(i) ||
        (options_.mode == ClusterOptions::Mode::Marked && ir::cluster_mark(i).empty())) {
      return {host, PlacementGraph::never};
    }
    return {options_.mode == ClusterOptions::Mode::Auto ? host : PlacementGraph::never, device_nanoseconds(i)};
  }

  void add_value(Instruction i, std::uint32_t from) {
    value_[index(i.id())] = static_cast<std::uint32_t>(graph_.values.size());
    const double nanoseconds = has_memory_ && !i.shape().is_token()
                                   ? copy_nanoseconds + static_cast<double>(i.shape().byte_size()) / bandwidth_
                                   : 0;
    graph_.values.push_back({from, nanoseconds, {}});
  }

  // An instruction that only names values stands for one value, or for the elements of a tuple.
  void name(Instruction i) {
    switch (i.opcode()) {
      case Opcode::Parameter: add_value(i, PlacementGraph::outside); break;
      case Opcode::Tuple: elements_[index(i.id())] = i.id(); break;
      case Opcode::Bitcast: value_[index(i.id())] = value_[index(i.operands()[0])]; break;
      case Opcode::GetTupleElement: {
        const Instruction of = i.operand(0);
        if (const InstructionId tuple = elements_[index(of.id())]; tuple != ir::no_instruction) {
          const InstructionId element =
              module_.instruction(tuple).operands()[static_cast<std::size_t>(i.tuple_index())];
          value_[index(i.id())] = value_[index(element)];
          elements_[index(i.id())] = elements_[index(element)];
        } else if (const std::uint32_t whole = value_[index(of.id())]; whole != PlacementGraph::outside) {
          add_value(i, graph_.values[whole].from);
        }
        break;
      }
      default: break;  // a constant is on both sides
    }
  }

  // Adds a user to the value, or to the elements of the tuple. The depth is that of nested tuples.
  void use(InstructionId id, std::uint32_t user) {
    if (const std::uint32_t value = value_[index(id)]; value != PlacementGraph::outside) {
      std::vector<std::uint32_t> &users = graph_.values[value].users;
      if (users.empty() || users.back() != user) {
        users.push_back(user);
      }
      return;
    }
    const InstructionId tuple = elements_[index(id)];
    if (tuple == ir::no_instruction || uses_of_tuples_ == max_uses_of_tuples) {
      return;
    }
    for (const InstructionId element : module_.instruction(tuple).operands()) {
      ++uses_of_tuples_;
      use(element, user);
    }
  }

  static bool only_names_values(Instruction i) { return !is_claimable(i.opcode()); }

  // Many users of one long tuple would take quadratic time; beyond this, some copies are not counted.
  static constexpr std::size_t max_uses_of_tuples = 4'000'000;

  const ir::Module &module_;
  const Claims &claims_;
  const ClusterOptions &options_;
  const bool has_memory_;   // that the host does not see
  const double bandwidth_;  // in bytes per nanosecond
  const std::vector<analysis::Cost> costs_;
  std::vector<double> on_device_;        // by computation id: nanoseconds
  std::vector<std::uint32_t> node_;      // by instruction id
  std::vector<std::uint32_t> value_;     // by instruction id
  std::vector<InstructionId> elements_;  // by instruction id: the tuple that it is
  std::size_t uses_of_tuples_ = 0;
  PlacementGraph graph_;
};

std::size_t claimable(const ir::Module &module, const Part &part) {
  return static_cast<std::size_t>(std::ranges::count_if(
      part.instructions, [&](InstructionId id) { return is_claimable(module.instruction(id).opcode()); }));
}

bool is_whole_program(std::span<const Part> parts) {
  return parts.size() == 1 && parts[0].placement == Placement::Device;
}

std::string_view why_taken(ClusterOptions::Mode mode) {
  switch (mode) {
    case ClusterOptions::Mode::Off: return "claimed";
    case ClusterOptions::Mode::Marked: return "marked";
    case ClusterOptions::Mode::Auto: return "costs less than on the host";
  }
  return "";
}

std::string_view why_left(ClusterOptions::Mode mode) {
  return mode == ClusterOptions::Mode::Marked ? "claimed, but not marked" : "claimed, but it costs less on the host";
}

// Adds what each cluster costs. A copy counts for the cluster that makes the value, or for the first one that uses it.
void report_costs(const ir::Module &module, const Graph &graph, std::string_view device, ClusterOptions::Mode mode,
                  Clusters &clusters) {
  constexpr std::size_t none = static_cast<std::size_t>(-1);
  std::vector<std::size_t> cluster_of(graph.graph().nodes.size(), none);
  for (const Part &part : clusters.parts) {
    if (part.placement != Placement::Device) {
      continue;
    }
    const std::size_t number = clusters.report.size();
    ClusterReport &report = clusters.report.emplace_back();
    report.name = fmt::format("cluster.{}", number);
    report.device = device;
    report.reason = why_taken(mode);
    report.instructions = claimable(module, part);
    report.host_nanoseconds = 0;
    for (const InstructionId id : part.instructions) {
      if (const std::uint32_t node = graph.node(id); node != PlacementGraph::outside) {
        cluster_of[node] = number;
        report.nanoseconds += graph.graph().nodes[node].on_device;
        report.host_nanoseconds += graph.host_nanoseconds_of(id);
      }
    }
  }
  for (const PlacementGraph::Value &value : graph.graph().values) {
    const std::size_t from = value.from == PlacementGraph::outside ? none : cluster_of[value.from];
    std::size_t other = from;
    for (const std::uint32_t user : value.users) {
      const std::size_t at = user == PlacementGraph::outside ? none : cluster_of[user];
      const bool is_copied = (at == none) != (from == none);
      other = other == from && is_copied ? at : other;
    }
    if (other != from) {
      clusters.report[from == none ? other : from].copy_nanoseconds += value.copy;
    }
  }
}

// Leaves the clusters that are too small to the host. Returns whether there are any.
bool drop_small(const ir::Module &module, const Clusters &clusters, std::int64_t least, std::vector<bool> &on_device,
                std::vector<std::string> &reasons) {
  bool is_any = false;
  for (const Part &part : clusters.parts) {
    const std::size_t count = claimable(module, part);
    if (part.placement != Placement::Device || count >= static_cast<std::size_t>(least)) {
      continue;
    }
    for (const InstructionId id : part.instructions) {
      if (on_device[index(id)]) {
        on_device[index(id)] = false;
        reasons[index(id)] = fmt::format("claimed, but its cluster has {} instructions, fewer than {}", count, least);
        is_any = true;
      }
    }
  }
  return is_any;
}

}  // namespace

Clusters find_clusters(const ir::Module &module, const Claims &claims, const host::Device &device,
                       const ClusterOptions &options) {
  Clusters clusters;
  clusters.reasons.resize(module.instruction_id_limit());
  clusters.parts = partition(module, claims.claimed);
  if (is_whole_program(clusters.parts) && options.mode != ClusterOptions::Mode::Marked) {
    return clusters;
  }
  const Graph graph(module, claims, device, options);
  const Placed placed = place(graph.graph());
  clusters.is_optimal = placed.is_optimal;
  clusters.nanoseconds = placed.cost.nanoseconds;
  clusters.lower_bound = placed.lower_bound;
  std::vector<bool> on_device(module.instruction_id_limit());
  for (const InstructionId id : module.entry().instruction_ids()) {
    const std::uint32_t node = graph.node(id);
    on_device[index(id)] = node != PlacementGraph::outside && placed.on_device[node];
    if (node != PlacementGraph::outside && claims.claimed[index(id)] && !placed.on_device[node]) {
      clusters.reasons[index(id)] = why_left(options.mode);
    }
  }
  // A cluster that is left to the host may divide others. Rarely, small ones remain after so many rounds.
  constexpr int max_rounds = 16;
  for (int round = 0; round < max_rounds; ++round) {
    clusters.parts = partition(module, on_device);
    if (!drop_small(module, clusters, options.min_instructions, on_device, clusters.reasons)) {
      break;
    }
  }
  if (!is_whole_program(clusters.parts)) {
    report_costs(module, graph, device.id(), options.mode, clusters);
  }
  return clusters;
}

}  // namespace bp::compile
