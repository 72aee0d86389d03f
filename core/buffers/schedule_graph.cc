#include "core/buffers/schedule_graph.h"

#include <algorithm>
#include <unordered_map>

#include "core/buffers/alias.h"

namespace bp::buffers {
namespace {

using ir::InstructionId;
using ir::Opcode;

constexpr Number none = static_cast<Number>(-1);
// Larger sizes are clamped to this, so that no sum overflows.
constexpr std::int64_t max_size = std::int64_t{1} << 40;

class GraphMaker {
 public:
  GraphMaker(const Dataflow &dataflow, ir::Computation computation, std::vector<Number> &numbers)
      : dataflow_(dataflow), computation_(computation), numbers_(numbers) {
    graph_.ids.assign(computation.instruction_ids().begin(), computation.instruction_ids().end());
    graph_.before.resize(graph_.count());
    graph_.after.resize(graph_.count());
    graph_.made.resize(graph_.count());
    graph_.read.resize(graph_.count());
    graph_.inner_peak.resize(graph_.count());
    for (Number i = 0; i < graph_.count(); ++i) {
      numbers_[index(graph_.ids[i])] = i;
    }
  }

  ScheduleGraph run(const analysis::SideEffects &side_effects, std::span<const std::int64_t> peaks) {
    add_overwritable_parameters();
    Number last_effect = none;
    for (Number i = 0; i < graph_.count(); ++i) {
      ir::Instruction instruction = dataflow_.module().instruction(graph_.ids[i]);
      for (auto list : {instruction.operands(), instruction.control_predecessors()}) {
        for (InstructionId id : list) {
          add_edge(numbers_[index(id)], i);
        }
      }
      if (side_effects.has(instruction)) {
        if (last_effect != none) {
          add_edge(last_effect, i);
        }
        last_effect = i;
      }
      if (instruction.is(ir::Trait::CallsControl)) {
        for (ir::ComputationId callee : instruction.calls()) {
          graph_.inner_peak[i] = std::max(graph_.inner_peak[i], peaks[index(callee)]);
        }
      }
      add_reads(i, instruction);
      add_results(i, instruction);
    }
    count_readers();
    return std::move(graph_);
  }

 private:
  void add_edge(Number from, Number to) {
    graph_.after[from].push_back(to);
    graph_.before[to].push_back(from);
  }

  Number number_of(ValueId value) const {
    auto found = value_numbers_.find(index(value));
    return found == value_numbers_.end() ? none : found->second;
  }

  Number add_value(ValueId value) {
    std::int64_t bytes = std::min(dataflow_.value(value).size, max_size);
    auto [found, is_new] = classes_.emplace(bytes, static_cast<Number>(graph_.class_slots.size()));
    if (is_new) {
      graph_.class_slots.push_back(0);
    }
    return value_numbers_[index(value)] = graph_.add_value(bytes, found->second);
  }

  // Adds the parameters whose memory results can use too.
  void add_overwritable_parameters() {
    std::vector<bool> is_donated;
    if (computation_ == dataflow_.module().entry()) {
      if (auto donated = donations(dataflow_); donated.ok()) {
        for (const Donation &donation : donated.value()) {
          is_donated.resize(std::max(is_donated.size(), static_cast<std::size_t>(donation.input) + 1));
          is_donated[static_cast<std::size_t>(donation.input)] = true;
        }
      }
    }
    std::size_t leaf = 0;
    for (InstructionId parameter : computation_.parameter_ids()) {
      for (ValueId value : dataflow_.leaf_values(parameter)) {
        bool is_state = is_body() && dataflow_.value(value).instruction == parameter;
        if (is_state || (leaf < is_donated.size() && is_donated[leaf])) {
          graph_.initial.push_back(add_value(value));
          ++graph_.class_slots[graph_.size_class.back()];
        }
        ++leaf;
      }
    }
  }

  bool is_body() const {
    InstructionId caller = dataflow_.caller(computation_.id());
    if (caller == ir::no_instruction) {
      return false;
    }
    ir::Instruction instruction = dataflow_.module().instruction(caller);
    return instruction.opcode() == Opcode::While && instruction.calls()[1] == computation_.id();
  }

  void add_reads(Number i, ir::Instruction instruction) {
    if (is_forwarding(instruction)) {
      return;
    }
    auto &values = graph_.read[i];
    for (InstructionId operand : instruction.operands()) {
      for (ValueId value : dataflow_.leaf_values(operand)) {
        if (Number number = number_of(value); number != none) {
          values.push_back(number);
        }
      }
    }
    std::ranges::sort(values);
    values.erase(std::unique(values.begin(), values.end()), values.end());
  }

  void add_results(Number i, ir::Instruction instruction) {
    for (const Leaf &leaf : dataflow_.positions().of(instruction).leaves) {
      ValueId value = dataflow_.value_at(instruction.id(), leaf.position);
      bool is_constant = dataflow_.instruction(value).opcode() == Opcode::Constant;
      if (instruction.opcode() == Opcode::Parameter || is_constant) {
        value_numbers_.emplace(index(value), none);
      } else if (!value_numbers_.contains(index(value))) {  // it may be the result of a call, made by its callee
        Number number = add_value(value);
        graph_.made[i].push_back(number);
        add_overwritten(number, instruction, leaf);
      }
    }
  }

  void add_overwritten(Number result, ir::Instruction instruction, const Leaf &leaf) {
    std::vector<OperandPart> parts;
    if (instruction.opcode() == Opcode::While) {
      parts = {{0, leaf.position}};
    } else if (is_identity_copy(instruction)) {
      parts = {{0, 0}};  // it is removed if possible
    } else if (!instruction.is(ir::Trait::CallsControl)) {
      parts = overwritable_operands(instruction, leaf.position);
    }
    for (OperandPart part : parts) {
      ValueId operand = dataflow_.value_at(instruction.operands()[part.operand], part.position);
      Number number = number_of(operand);
      if (number != none && graph_.size_class[number] == graph_.size_class[result] &&
          dataflow_.value(operand).memory_space == leaf.memory_space && reads_only(instruction, operand, parts)) {
        graph_.overwritable[result].push_back(number);
      }
    }
  }

  // Whether the instruction reads that value only through these parts of its operands.
  bool reads_only(ir::Instruction instruction, ValueId value, const std::vector<OperandPart> &parts) const {
    for (std::size_t i = 0; i < instruction.operand_count(); ++i) {
      for (const Leaf &leaf : dataflow_.positions().of(instruction.operand(i)).leaves) {
        if (dataflow_.value_at(instruction.operands()[i], leaf.position) == value &&
            std::ranges::find(parts, OperandPart{i, leaf.position}) == parts.end()) {
          return false;
        }
      }
    }
    return true;
  }

  void count_readers() {
    graph_.readers.assign(graph_.size.size(), 0);
    for (const auto &values : graph_.read) {
      for (Number value : values) {
        ++graph_.readers[value];
      }
    }
    // Slots that the caller provides: the results, except those that show an overwritable parameter.
    std::vector<std::int64_t> slots(graph_.class_slots.size());
    InstructionId caller = dataflow_.caller(computation_.id());
    bool is_condition =
        caller != ir::no_instruction && dataflow_.module().instruction(caller).opcode() == Opcode::While && !is_body();
    for (ValueId value : dataflow_.leaf_values(computation_.root().id())) {
      if (Number number = number_of(value); number != none) {
        ++graph_.readers[number];
        slots[graph_.size_class[number]] += is_condition ? 0 : 1;
      }
    }
    for (std::size_t i = 0; i < slots.size(); ++i) {
      graph_.class_slots[i] = std::max(graph_.class_slots[i], slots[i]);
    }
  }

  const Dataflow &dataflow_;
  ir::Computation computation_;
  std::vector<Number> &numbers_;
  ScheduleGraph graph_;
  std::unordered_map<std::uint32_t, Number> value_numbers_;  // by ValueId
  std::unordered_map<std::int64_t, Number> classes_;         // by size
};

}  // namespace

Number ScheduleGraph::add_value(std::int64_t bytes, Number of_class) {
  size.push_back(bytes);
  size_class.push_back(of_class);
  overwritable.emplace_back();
  return static_cast<Number>(size.size() - 1);
}

ScheduleGraph make_graph(const Dataflow &dataflow, const analysis::SideEffects &side_effects,
                         ir::Computation computation, std::span<const std::int64_t> peaks,
                         std::vector<Number> &numbers) {
  return GraphMaker(dataflow, computation, numbers).run(side_effects, peaks);
}

LiveMemory::LiveMemory(const ScheduleGraph &graph)
    : graph_(&graph),
      readers_(graph.readers),
      is_live_(graph.size.size()),
      class_count_(graph.class_slots.size()),
      live_(graph.base) {
  for (Number value : graph.initial) {
    if (readers_[value] != 0) {
      begin(value);
    }
  }
}

void LiveMemory::begin(Number value) {
  Number of_class = graph_->size_class[value];
  live_ += ++class_count_[of_class] > graph_->class_slots[of_class] ? graph_->size[value] : 0;
  is_live_[value] = true;
}

void LiveMemory::end(Number value) {
  Number of_class = graph_->size_class[value];
  live_ -= class_count_[of_class]-- > graph_->class_slots[of_class] ? graph_->size[value] : 0;
  is_live_[value] = false;
}

bool LiveMemory::holds_no_more_than(const LiveMemory &other) const {
  return std::ranges::equal(class_count_, other.class_count_, std::less_equal());
}

std::int64_t LiveMemory::run(Number instruction) {
  for (Number result : graph_->made[instruction]) {
    auto dies = [&](Number value) { return readers_[value] == 1 && is_live_[value]; };
    auto overwritten = std::ranges::find_if(graph_->overwritable[result], dies);
    if (overwritten == graph_->overwritable[result].end()) {
      begin(result);
    } else {
      is_live_[*overwritten] = false;  // the result replaces the operand, which counts as dead
      is_live_[result] = true;
    }
  }
  std::int64_t most = live_ + graph_->inner_peak[instruction];
  for (Number value : graph_->read[instruction]) {
    if (--readers_[value] == 0 && is_live_[value]) {
      end(value);
    }
  }
  for (Number value : graph_->made[instruction]) {
    if (readers_[value] == 0 && is_live_[value]) {
      end(value);
    }
  }
  return most;
}

std::int64_t peak_of(const ScheduleGraph &graph, const Order &order) {
  LiveMemory memory(graph);
  std::int64_t peak = memory.live();
  for (Number i : order) {
    peak = std::max(peak, memory.run(i));
  }
  return peak;
}

std::int64_t min_peak(const ScheduleGraph &graph) {
  std::int64_t most = 0;
  std::vector<std::int64_t> counts(graph.class_slots.size());
  for (Number i = 0; i < graph.count(); ++i) {
    std::int64_t bytes = graph.base + graph.inner_peak[i];
    auto count = [&](Number value, std::int64_t change) {
      Number of_class = graph.size_class[value];
      bytes += (counts[of_class] += change) > graph.class_slots[of_class] ? graph.size[value] : 0;
    };
    auto needs_place = [&](Number result) { return graph.overwritable[result].empty(); };
    for (Number value : graph.read[i]) {
      count(value, 1);
    }
    for (Number value : graph.made[i]) {
      if (needs_place(value)) {
        count(value, 1);
      }
    }
    most = std::max(most, bytes);
    for (Number value : graph.read[i]) {
      counts[graph.size_class[value]] = 0;
    }
    for (Number value : graph.made[i]) {
      counts[graph.size_class[value]] = 0;
    }
  }
  return most;
}

}  // namespace bp::buffers
