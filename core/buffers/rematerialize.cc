// Looks for the peak of the simulated memory, and there for values that are live but not read until later, largest
// first. Those that can be computed again just before their next reader are no longer kept. This is repeated for one
// peak after another; then the module is rewritten and planned, and everything is repeated, a few times at most: near
// linear.
#include "core/buffers/rematerialize.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

#include "core/buffers/alias.h"
#include "core/buffers/assign.h"
#include "core/buffers/copy_insertion.h"
#include "core/buffers/schedule_graph.h"

namespace bp::buffers {
namespace {

using ir::Instruction;
using ir::InstructionId;
using ir::Opcode;

constexpr int max_iterations = 8, max_peaks = 256;  // iterations per module, peaks per iteration
constexpr std::size_t max_copied = 16;              // maximum number of instructions copied for one value
constexpr std::size_t max_visited = 64;             // maximum number of instructions visited to find them
// A value is small if the value to be recomputed is at least this many times larger; then it may be kept for that
// purpose.
constexpr std::int64_t small_part = 32;

bool is_cheap_op(Instruction instruction) {
  switch (instruction.opcode()) {
    case Opcode::Broadcast:
    case Opcode::Iota:
    case Opcode::Reshape:
    case Opcode::Bitcast:
    case Opcode::Transpose:
    case Opcode::Slice:
    case Opcode::Pad:
    case Opcode::Reverse:
    case Opcode::Constant:
    case Opcode::Parameter: return true;
    default: return instruction.is(ir::Trait::Elementwise);
  }
}

bool is_cheap(Instruction instruction) {
  if (!instruction.shape().is_array() || !instruction.control_predecessors().empty()) {
    return false;
  }
  if (instruction.opcode() != Opcode::Fusion) {
    return instruction.opcode() != Opcode::Parameter && is_cheap_op(instruction);
  }
  return std::ranges::all_of(instruction.called(0).instructions(), is_cheap_op);
}

// One iteration on the entry in its present state. Instructions run in the order of their numbers.
class Iteration {
 public:
  Iteration(ir::Module &module, const Dataflow &dataflow, ScheduleGraph graph)
      : module_(module), dataflow_(dataflow), graph_(std::move(graph)), first_copy_(module.instruction_id_limit()) {
    maker_.assign(graph_.size.size(), none);
    readers_.resize(graph_.size.size());
    before_.resize(graph_.count());
    for (Number i = 0; i < graph_.count(); ++i) {
      number_of_[index(graph_.ids[i])] = i;
      for (Number value : graph_.read[i]) {
        readers_[value].push_back(i);
      }
      for (Number value : graph_.made[i]) {
        maker_[value] = i;
        if (module_.instruction(graph_.ids[i]).shape().is_array()) {
          value_numbers_[index(dataflow_.value_at(graph_.ids[i], 0))] = value;
        }
      }
    }
    is_settled_.assign(graph_.size.size(), false);
    for (Number value : graph_.initial) {
      is_settled_[value] = true;
    }
    find_donated();
    LiveMemory memory(graph_);
    for (Number i = 0; i < graph_.count(); ++i) {
      live_.push_back(memory.run(i));
    }
  }

  // Repeats until at most `target` bytes are live at any time, or no progress is possible; returns whether anything
  // changed.
  bool run(std::int64_t target) {
    bool is_changed = false;
    for (int peaks = 0; peaks < max_peaks; ++peaks) {
      auto peak = std::ranges::max_element(live_);
      if (peak == live_.end() || *peak <= target || !lower(static_cast<Number>(peak - live_.begin()), target)) {
        break;
      }
      is_changed = true;
    }
    if (is_changed) {
      write_order();
    }
    return is_changed;
  }

 private:
  static constexpr Number none = static_cast<Number>(-1);

  bool lower(Number peak, std::int64_t target) {
    bool is_lower = false;
    for (Number value : waiting_at(peak)) {
      if (live_[peak] <= target) {
        break;
      }
      is_lower = compute_again(value, peak) || is_lower;
    }
    return is_lower;
  }

  void find_donated() {
    std::vector<ValueId> inputs;
    for (InstructionId parameter : module_.entry().parameter_ids()) {
      auto values = dataflow_.leaf_values(parameter);
      inputs.insert(inputs.end(), values.begin(), values.end());
    }
    if (auto pairs = donations(dataflow_); pairs.ok()) {
      for (const Donation &donation : *pairs) {
        donated_.insert(index(inputs[static_cast<std::size_t>(donation.input)]));
      }
    }
  }

  // Whether the instruction was made in this iteration, so that the dataflow does not know it.
  bool is_copy(InstructionId id) const { return index(id) >= first_copy_; }

  bool is_shown_by_root(Number value) const { return graph_.readers[value] > readers_[value].size(); }

  // Returns the cheap values that are live during instruction `at` only for a later reader, the largest first.
  std::vector<Number> waiting_at(Number at) const {
    std::vector<Number> values;
    for (Number value = 0; value < graph_.size.size(); ++value) {
      bool is_waiting = !is_settled_[value] && maker_[value] < at && !is_shown_by_root(value) &&
                        graph_.size[value] > 0 && !readers_[value].empty() && readers_[value].back() > at &&
                        !std::ranges::binary_search(readers_[value], at);
      if (is_waiting && is_cheap(module_.instruction(graph_.ids[maker_[value]]))) {
        values.push_back(value);
      }
    }
    std::ranges::stable_sort(values, std::greater(), [&](Number value) { return graph_.size[value]; });
    return values;
  }

  bool compute_again(Number value, Number peak) {
    auto next = std::ranges::upper_bound(readers_[value], peak);
    Number at = *next, last = next == readers_[value].begin() ? maker_[value] : *std::prev(next);
    // Readers may see the value through bitcasts: those are computed again too.
    ValueId shown = dataflow_.value_at(graph_.ids[maker_[value]], 0);
    std::vector<InstructionId> views, copied;
    for (auto reader = next; reader != readers_[value].end(); ++reader) {
      for (InstructionId operand : module_.instruction(graph_.ids[*reader]).operands()) {
        if (is_copy(operand)) {
          continue;
        }
        auto leaves = dataflow_.positions().of(module_.instruction(operand)).leaves;
        bool shows = std::ranges::any_of(
            leaves, [&](const Leaf &leaf) { return dataflow_.value_at(operand, leaf.position) == shown; });
        if (shows && std::ranges::find(views, operand) == views.end()) {
          views.push_back(operand);
        }
      }
    }
    std::size_t visited = 0;
    for (InstructionId id : views) {
      if (!module_.instruction(id).shape().is_array() || number_of_.at(index(id)) >= at ||
          !collect(id, at, value, copied, visited)) {
        return false;
      }
    }
    copy_before(at, copied, views, {next, readers_[value].end()});
    is_settled_[value] = true;
    for (Number i = last + 1; i < at; ++i) {
      live_[i] -= graph_.size[value];
    }
    return true;
  }

  // Whether an array is available when instruction `at` runs even if `without` is not.
  bool is_there(InstructionId id, Number at, Number without) const {
    ValueId shown = dataflow_.value_at(id, 0);
    auto found = value_numbers_.find(index(shown));
    if (found == value_numbers_.end()) {  // a constant, an input, or part of a tuple that an instruction made
      Opcode opcode = dataflow_.instruction(shown).opcode();
      return opcode == Opcode::Constant || (opcode == Opcode::Parameter && !donated_.contains(index(shown)));
    }
    Number value = found->second;
    if (graph_.size[value] <= graph_.size[without] / small_part) {
      return true;  // it may be kept
    }
    return value != without && !is_recomputed_.contains(value) &&
           (is_shown_by_root(value) || (!readers_[value].empty() && readers_[value].back() >= at));
  }

  // Appends the instructions that must be copied to have an array when instruction `at` runs, operands first. Returns
  // false if that is not cheap.
  bool collect(InstructionId id, Number at, Number without, std::vector<InstructionId> &copied,
               std::size_t &visited) const {
    if (is_copy(id)) {
      return false;  // made for other readers
    }
    if (is_there(id, at, without) || std::ranges::find(copied, id) != copied.end()) {
      return true;
    }
    ir::Instruction instruction = module_.instruction(id);
    if (++visited > max_visited || copied.size() >= max_copied || !is_cheap(instruction)) {
      return false;
    }
    for (InstructionId operand : instruction.operands()) {
      if (!module_.instruction(operand).shape().is_array() || !collect(operand, at, without, copied, visited)) {
        return false;
      }
    }
    copied.push_back(id);
    return true;
  }

  void copy_before(Number at, const std::vector<InstructionId> &copied, const std::vector<InstructionId> &views,
                   std::span<const Number> readers) {
    std::unordered_map<std::uint32_t, InstructionId> copies;
    auto replace_operands = [&](InstructionId id) {
      for (std::size_t i = 0; i < module_.instruction(id).operand_count(); ++i) {
        auto copy = copies.find(index(module_.instruction(id).operands()[i]));
        if (copy != copies.end()) {
          module_.set_operand(id, i, copy->second);
        }
      }
    };
    for (InstructionId id : copied) {
      Instruction original = module_.instruction(id);
      // The operands of a copy must be kept until then.
      for (InstructionId operand : original.operands()) {
        if (auto value = value_numbers_.find(index(dataflow_.value_at(operand, 0))); value != value_numbers_.end()) {
          is_settled_[value->second] = true;
        }
      }
      std::vector<InstructionId> operands(original.operands().begin(), original.operands().end());
      std::vector<ir::ComputationId> calls(original.calls().begin(), original.calls().end());
      InstructionId copy = module_.clone_instruction(module_.entry().id(), original, operands, calls);
      replace_operands(copy);
      copies.emplace(index(id), copy);
      before_[at].push_back(copy);
      is_copied_.insert(index(id));
    }
    std::erase_if(copies,
                  [&](const auto &copy) { return std::ranges::find(views, InstructionId{copy.first}) == views.end(); });
    for (Number reader : readers) {
      replace_operands(graph_.ids[reader]);
    }
    for (InstructionId id : views) {
      is_recomputed_.insert(value_numbers_.at(index(dataflow_.value_at(id, 0))));
    }
  }

  // Puts the copies before their readers and omits originals that have no readers left.
  void write_order() {
    std::vector<InstructionId> order;
    for (Number i = 0; i < graph_.count(); ++i) {
      order.insert(order.end(), before_[i].begin(), before_[i].end());
      order.push_back(graph_.ids[i]);
    }
    std::vector<std::uint32_t> uses(module_.instruction_id_limit());
    for (InstructionId id : order) {
      for (auto list : {module_.instruction(id).operands(), module_.instruction(id).control_predecessors()}) {
        for (InstructionId used : list) {
          ++uses[index(used)];
        }
      }
    }
    std::vector<InstructionId> kept;
    for (std::size_t i = order.size(); i-- > 0;) {
      InstructionId id = order[i];
      if (is_copied_.contains(index(id)) && uses[index(id)] == 0) {
        for (InstructionId operand : module_.instruction(id).operands()) {
          --uses[index(operand)];
        }
      } else {
        kept.push_back(id);
      }
    }
    std::ranges::reverse(kept);
    module_.set_instruction_order(module_.entry().id(), std::move(kept));
  }

  ir::Module &module_;
  const Dataflow &dataflow_;
  ScheduleGraph graph_;
  std::size_t first_copy_;                                   // ids from here on are copies
  std::vector<std::int64_t> live_;                           // by instruction: live bytes while it runs
  std::unordered_map<std::uint32_t, Number> number_of_;      // by InstructionId
  std::unordered_map<std::uint32_t, Number> value_numbers_;  // by ValueId
  std::vector<Number> maker_;                                // by value
  std::vector<std::vector<Number>> readers_;                 // by value, ascending
  std::vector<bool> is_settled_;                             // by value: must not be changed any more
  std::unordered_set<std::uint32_t> donated_;                // ValueIds of inputs that may be overwritten at any time
  std::unordered_set<Number> is_recomputed_;                 // values that are no longer kept as long as before
  std::unordered_set<std::uint32_t> is_copied_;              // InstructionIds
  std::vector<std::vector<InstructionId>> before_;           // by instruction: the copies that run just before it
};

struct Needed {
  std::int64_t temporaries = 0, total = 0;
};
Result<Needed> needed_bytes(ir::Module module) {
  BP_TRY(insert_copies(module));
  BP_ASSIGN(Plan plan, assign(module, {.packing_steps = 0}));
  return Needed{plan.bytes(AllocationKind::Temporary), plan.total_bytes()};
}

Result<bool> run_iteration(ir::Module &module, std::int64_t target) {
  BP_ASSIGN(Dataflow dataflow, Dataflow::analyze(module));
  analysis::SideEffects side_effects(module);
  std::vector<Number> numbers(module.instruction_id_limit());
  std::vector<std::int64_t> peaks(module.computation_id_limit());
  ScheduleGraph entry;
  for (ir::ComputationId id : dataflow.control_computations()) {  // the entry comes last
    entry = make_graph(dataflow, side_effects, module.computation(id), peaks, numbers);
    Order order(entry.count());
    std::iota(order.begin(), order.end(), Number{0});
    peaks[index(id)] = peak_of(entry, order);
  }
  return Iteration(module, dataflow, std::move(entry)).run(target);
}

}  // namespace

Result<bool> rematerialize(ir::Module &module, std::int64_t limit) {
  BP_ASSIGN(Needed before, needed_bytes(module));
  if (before.total <= limit) {
    return false;
  }
  std::int64_t target = before.temporaries - (before.total - limit);
  ir::Module best = module, changed = module;
  std::int64_t least = before.total;
  for (int iteration = 0; iteration < max_iterations && least > limit; ++iteration) {
    BP_ASSIGN(bool is_changed, run_iteration(changed, std::max<std::int64_t>(target, 0)));
    BP_ASSIGN(Needed now, needed_bytes(changed));
    if (now.total < least) {
      least = now.total;
      best = changed;
    }
    if (!is_changed) {
      break;
    }
    target -= std::max<std::int64_t>(0, now.total - limit) / 4;  // the simulation leaves out packing and copies
  }
  if (least == before.total) {
    return false;
  }
  best.unique_names();
  module = std::move(best);
  return true;
}

}  // namespace bp::buffers
