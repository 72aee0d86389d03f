#include "core/buffers/schedule.h"

#include <algorithm>

#include "core/buffers/assign.h"
#include "core/buffers/copy_insertion.h"
#include "core/buffers/schedule_orders.h"
#include "core/buffers/schedule_search.h"

namespace bp::buffers {
namespace {

// Budget of all searches of a module together: about a tenth of a second.
constexpr std::size_t search_budget = 50'000;

constexpr Scheduling heuristics[] = {Scheduling::Program, Scheduling::DepthFirst, Scheduling::List,
                                     Scheduling::Backward, Scheduling::PostOrder};

Order order_by(Scheduling scheduling, const ScheduleGraph &graph, const Order &base) {
  switch (scheduling) {
    case Scheduling::Least:
    case Scheduling::Program: return base;
    case Scheduling::List: return min_growth_order(graph);
    case Scheduling::Backward: return backward_order(graph);
    case Scheduling::DepthFirst: return depth_first_order(graph, base);
    case Scheduling::PostOrder: return post_order(graph, base);
  }
  return base;
}

Order min_order(const ScheduleGraph &graph, const Order &base, std::size_t &budget) {
  Order best = base;
  std::int64_t best_peak = peak_of(graph, best);
  for (Scheduling other : heuristics) {
    Order order = order_by(other, graph, base);
    if (std::int64_t peak = peak_of(graph, order); peak < best_peak) {
      best_peak = peak;
      best = std::move(order);
    }
  }
  improve_order(graph, best, budget);
  return best;
}

// Returns a lower bound of the peak. It leaves out calls, which may need less than simulated because values in their
// callees may share memory with this computation.
std::int64_t min_peak_without_calls(const ir::Module &module, ScheduleGraph &graph) {
  for (Number i = 0; i < graph.count(); ++i) {
    if (module.instruction(graph.ids[i]).is(ir::Trait::CallsControl)) {
      graph.inner_peak[i] = 0;
      graph.read[i].clear();
      graph.made[i].clear();
    }
  }
  return min_peak(graph);
}

// Orders each control computation. `bound`: memory below which the plan is not expected to get: with one computation
// the peak of its order, with several a lower bound for any order.
Status order_all(ir::Module &module, Scheduling scheduling, std::int64_t &bound) {
  BP_ASSIGN(Dataflow dataflow, Dataflow::analyze(module));
  analysis::SideEffects side_effects(module);
  std::vector<std::int64_t> peaks(module.computation_id_limit());
  std::vector<Number> numbers(module.instruction_id_limit());
  std::size_t budget = search_budget;
  for (ir::ComputationId id : dataflow.control_computations()) {
    ScheduleGraph graph = make_graph(dataflow, side_effects, module.computation(id), peaks, numbers);
    Order base = program_order(graph);
    if (base.size() != graph.count()) {
      return invalid_input("{}: control predecessors form a cycle", module.computation(id).name());
    }
    Order order = scheduling == Scheduling::Least ? min_order(graph, base, budget) : order_by(scheduling, graph, base);
    peaks[index(id)] = peak_of(graph, order);
    std::vector<ir::InstructionId> ids;
    for (Number i : order) {
      ids.push_back(graph.ids[i]);
    }
    module.set_instruction_order(id, std::move(ids));
    bound = dataflow.control_computations().size() == 1 ? peaks[index(id)] : min_peak_without_calls(module, graph);
  }
  module.header().is_scheduled = true;
  return {};
}

// Returns the temporary memory of the plan, after copies are inserted.
Result<std::int64_t> planned_bytes(ir::Module module) {
  BP_TRY(insert_copies(module));
  BP_ASSIGN(Plan plan, assign(module, {.packing_steps = 0}));
  return plan.bytes(AllocationKind::Temporary);
}

}  // namespace

Result<bool> schedule(ir::Module &module, Scheduling scheduling) {
  if (module.header().is_scheduled) {
    return false;
  }
  std::int64_t bound = 0;
  if (scheduling != Scheduling::Least) {
    BP_TRY(order_all(module, scheduling, bound));
    return true;
  }
  ir::Module best = module;
  BP_TRY(order_all(best, Scheduling::Least, bound));
  auto least = planned_bytes(best);
  for (Scheduling other : heuristics) {
    if (!least.ok() || *least <= bound) {
      break;  // assign() will report why it cannot be planned
    }
    ir::Module ordered = module;
    std::int64_t of_order = 0;
    BP_TRY(order_all(ordered, other, of_order));
    if (of_order >= *least) {
      continue;  // planning an order that keeps thousands of values live takes long
    }
    BP_ASSIGN(std::int64_t bytes, planned_bytes(ordered));
    if (bytes < *least) {
      least = bytes;
      best = std::move(ordered);
    }
  }
  module = std::move(best);
  return true;
}

Result<bool> schedule(ir::Module &module) {
  return schedule(module, Scheduling::Least);
}

}  // namespace bp::buffers
