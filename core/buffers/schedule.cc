#include "core/buffers/schedule.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "core/analysis/side_effects.h"
#include "core/buffers/dataflow.h"

namespace bp::buffers {
namespace {

using ir::InstructionId;

using Number = std::uint32_t;  // of an instruction within its computation, or of a value that it makes
using Order = std::vector<Number>;

// Larger arrays count as this, so that no sum overflows.
constexpr std::int64_t max_size = std::int64_t{1} << 40, max_sum = std::int64_t{1} << 61;

// A computation as memory sees it: instructions, what must come before what, and which values are made and read where.
// Values that come in through parameters and constants do not depend on the order and are left out.
struct Graph {
  std::vector<InstructionId> ids;
  std::vector<std::vector<Number>> before, after;  // edges, by instruction
  std::vector<std::vector<Number>> made, read;     // values, by instruction; each once
  std::vector<std::int64_t> inner_peak;            // by instruction: bytes live within what it calls
  std::vector<std::int64_t> size;                  // by value
  std::vector<Number> readers;                     // by value: how many instructions; one more if the root shows it

  Number count() const { return static_cast<Number>(ids.size()); }
};

void add_edge(Graph &graph, Number from, Number to) {
  graph.after[from].push_back(to);
  graph.before[to].push_back(from);
}

Graph make_graph(const Dataflow &dataflow, const analysis::SideEffects &side_effects, ir::Computation computation,
                 std::span<const std::int64_t> peaks, std::vector<Number> &numbers) {
  Graph graph;
  graph.ids.assign(computation.instruction_ids().begin(), computation.instruction_ids().end());
  Number count = graph.count();
  graph.before.resize(count);
  graph.after.resize(count);
  graph.made.resize(count);
  graph.read.resize(count);
  graph.inner_peak.resize(count);
  for (Number i = 0; i < count; ++i) {
    numbers[index(graph.ids[i])] = i;
  }
  constexpr Number none = static_cast<Number>(-1);
  std::unordered_map<std::uint32_t, Number> value_numbers;  // of ValueIds
  auto read = [&](Number instruction, ValueId value) {
    auto found = value_numbers.find(index(value));
    if (found != value_numbers.end() && found->second != none) {
      graph.read[instruction].push_back(found->second);
    }
  };
  Number last_effect = none;
  for (Number i = 0; i < count; ++i) {
    ir::Instruction instruction = dataflow.module().instruction(graph.ids[i]);
    for (auto list : {instruction.operands(), instruction.control_predecessors()}) {
      for (InstructionId id : list) {
        add_edge(graph, numbers[index(id)], i);
      }
    }
    if (side_effects.has(instruction)) {
      if (last_effect != none) {
        add_edge(graph, last_effect, i);
      }
      last_effect = i;
    }
    if (instruction.is(ir::Trait::CallsControl)) {
      for (ir::ComputationId callee : instruction.calls()) {
        graph.inner_peak[i] = std::max(graph.inner_peak[i], peaks[index(callee)]);
      }
    }
    if (!is_forwarding(instruction)) {
      for (InstructionId operand : instruction.operands()) {
        for (ValueId value : dataflow.leaf_values(operand)) {
          read(i, value);
        }
      }
    }
    bool counts = instruction.opcode() != ir::Opcode::Parameter && instruction.opcode() != ir::Opcode::Constant;
    for (ValueId value : dataflow.leaf_values(instruction.id())) {
      bool is_new = value_numbers.emplace(index(value), counts ? static_cast<Number>(graph.size.size()) : none).second;
      if (is_new && counts) {
        graph.made[i].push_back(static_cast<Number>(graph.size.size()));
        graph.size.push_back(std::min(dataflow.value(value).size, max_size));
      }
    }
  }
  graph.readers.assign(graph.size.size(), 0);
  for (auto &values : graph.read) {
    std::ranges::sort(values);
    values.erase(std::unique(values.begin(), values.end()), values.end());
    for (Number value : values) {
      ++graph.readers[value];
    }
  }
  for (ValueId value : dataflow.leaf_values(computation.root().id())) {
    if (Number number = value_numbers.at(index(value)); number != none) {
      ++graph.readers[number];
    }
  }
  return graph;
}

// The most bytes live when the instructions run in this order.
std::int64_t peak_of(const Graph &graph, const Order &order) {
  std::vector<Number> readers = graph.readers;
  std::int64_t live = 0, peak = 0;
  for (Number i : order) {
    for (Number value : graph.made[i]) {
      live += graph.size[value];
    }
    peak = std::max(peak, live + graph.inner_peak[i]);
    for (Number value : graph.read[i]) {
      live -= --readers[value] == 0 ? graph.size[value] : 0;
    }
    for (Number value : graph.made[i]) {
      live -= readers[value] == 0 ? graph.size[value] : 0;
    }
  }
  return peak;
}

// Takes what can run, the best first: `key(i)` is asked when i becomes ready and whenever `ran` says that it changed.
template <class Key, class Ran>
Order list_order(const Graph &graph, Key &&key, Ran &&ran) {
  std::vector<Number> waits_for(graph.count());
  using Entry = std::pair<std::int64_t, Number>;
  std::set<Entry> ready;  // ascending
  std::vector<std::int64_t> key_of(graph.count());
  std::vector<bool> is_ready(graph.count());
  auto make_ready = [&](Number i) {
    key_of[i] = key(i);
    is_ready[i] = true;
    ready.emplace(key_of[i], i);
  };
  for (Number i = 0; i < graph.count(); ++i) {
    waits_for[i] = static_cast<Number>(graph.before[i].size());
  }
  for (Number i = 0; i < graph.count(); ++i) {
    if (waits_for[i] == 0) {
      make_ready(i);
    }
  }
  Order order;
  while (!ready.empty()) {
    Number i = ready.begin()->second;
    ready.erase(ready.begin());
    is_ready[i] = false;
    order.push_back(i);
    for (Number next : graph.after[i]) {
      if (--waits_for[next] == 0) {
        make_ready(next);
      }
    }
    ran(i, [&](Number changed) {
      if (is_ready[changed]) {
        ready.erase({key_of[changed], changed});
        make_ready(changed);
      }
    });
  }
  return order;
}

// The order as it is, as far as edges allow; shorter than the graph if they form a cycle.
Order program_order(const Graph &graph) {
  return list_order(graph, [](Number i) { return static_cast<std::int64_t>(i); }, [](Number, auto &&) {});
}

// Takes what adds least: bytes made minus bytes of values of which it is the last reader. When a value gets down to one
// reader, that one's key changes; the sum of the readers' numbers says which it is.
Order least_growth_order(const Graph &graph) {
  std::vector<Number> readers = graph.readers;
  std::vector<std::uint64_t> reader_sums(graph.size.size());
  for (Number i = 0; i < graph.count(); ++i) {
    for (Number value : graph.read[i]) {
      reader_sums[value] += i;
    }
  }
  auto growth = [&](Number i) {
    std::int64_t bytes = 0;
    for (Number value : graph.made[i]) {
      bytes += graph.size[value];
    }
    for (Number value : graph.read[i]) {
      bytes -= readers[value] == 1 ? graph.size[value] : 0;
    }
    return bytes;
  };
  auto ran = [&](Number i, auto &&update) {
    for (Number value : graph.read[i]) {
      reader_sums[value] -= i;
      if (--readers[value] == 1 && reader_sums[value] < graph.count()) {
        update(static_cast<Number>(reader_sums[value]));
      }
    }
  };
  return list_order(graph, growth, ran);
}

// Post-order from the instructions nothing comes after. An instruction's predecessors are visited the most demanding
// first: what one needs on top of what it leaves behind, as for registers in expression trees.
Order depth_first_order(const Graph &graph, const Order &base) {
  std::vector<std::int64_t> need(graph.count()), left(graph.count());
  std::vector<std::vector<Number>> visits(graph.count());
  for (Number i : base) {
    for (Number value : graph.made[i]) {
      left[i] += graph.size[value];
    }
    visits[i] = graph.before[i];
    std::ranges::stable_sort(visits[i], [&](Number a, Number b) { return need[a] - left[a] > need[b] - left[b]; });
    std::int64_t held = 0;
    for (Number before : visits[i]) {
      need[i] = std::max(need[i], held + need[before]);
      held = std::min(held + left[before], max_sum);  // a tuple's parts may count many times
    }
    need[i] = std::max(need[i], held + left[i] + graph.inner_peak[i]);
    if (graph.made[i].empty()) {
      left[i] = held;  // a tuple keeps its elements
    }
  }
  Order order;
  std::vector<bool> is_visited(graph.count());
  std::vector<std::pair<Number, std::size_t>> stack;  // instruction and how many of its visits are done
  for (Number root : base) {
    if (!graph.after[root].empty()) {
      continue;
    }
    stack.emplace_back(root, 0);
    is_visited[root] = true;
    while (!stack.empty()) {
      auto &[i, done] = stack.back();
      if (done == visits[i].size()) {
        order.push_back(i);
        stack.pop_back();
        continue;
      }
      Number next = visits[i][done++];
      if (!is_visited[next]) {
        is_visited[next] = true;
        stack.emplace_back(next, 0);
      }
    }
  }
  return order;
}

}  // namespace

Result<bool> schedule(ir::Module &module) {
  if (module.header().is_scheduled) {
    return false;
  }
  BP_ASSIGN(Dataflow dataflow, Dataflow::analyze(module));
  analysis::SideEffects side_effects(module);
  std::vector<std::int64_t> peaks(module.computation_id_limit());
  std::vector<Number> numbers(module.instruction_id_limit());
  for (ir::ComputationId id : dataflow.control_computations()) {
    Graph graph = make_graph(dataflow, side_effects, module.computation(id), peaks, numbers);
    Order best = program_order(graph);
    if (best.size() != graph.count()) {
      return invalid_input("{}: control predecessors form a cycle", module.computation(id).name());
    }
    std::int64_t best_peak = peak_of(graph, best);
    Order others[] = {depth_first_order(graph, best), least_growth_order(graph)};
    for (Order &other : others) {
      if (std::int64_t peak = peak_of(graph, other); peak < best_peak) {
        best_peak = peak;
        best = std::move(other);
      }
    }
    peaks[index(id)] = best_peak;
    std::vector<InstructionId> order;
    for (Number i : best) {
      order.push_back(graph.ids[i]);
    }
    module.set_instruction_order(id, std::move(order));
  }
  module.header().is_scheduled = true;
  return true;
}

}  // namespace bp::buffers
