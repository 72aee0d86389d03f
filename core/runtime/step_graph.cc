#include "core/runtime/step_graph.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <utility>

namespace bp::runtime {

using ir::InstructionId;
using ir::Opcode;
using Node = StepGraph::Node;

namespace {

constexpr std::uint32_t no_value = std::numeric_limits<std::uint32_t>::max();
// The interpreter evaluates about as many elements while a thread starts.
constexpr std::int64_t light_step_elements = 4096;
// An executable has others inside it for the devices that are left, so it is as deep as there are devices. What is
// deeper stays a node of its own: so the graphs of all executables together are linear in their steps.
constexpr std::uint32_t max_inlined_depth = 8;

std::int64_t elements_of_shape(const ir::Shape &shape) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < shape.subshape_count(); ++i) {
    sum += shape.subshape(i).is_array() ? shape.subshape(i).element_count() : 0;
  }
  return sum;
}

bool is_light_step(ir::Instruction instruction) {
  switch (instruction.opcode()) {
    case Opcode::Bitcast:
    case Opcode::Constant:
    case Opcode::GetTupleElement:
    case Opcode::Tuple: return true;
    default: break;
  }
  if (instruction.calls().size() > 0 || instruction.is(ir::Trait::Contraction)) {
    return false;
  }
  std::int64_t elements = elements_of_shape(instruction.shape());
  for (std::size_t k = 0; k < instruction.operand_count(); ++k) {
    elements += elements_of_shape(instruction.operand(k).shape());
  }
  return elements <= light_step_elements;
}

// A custom call may be a function of the application, even if it states that it has no side effect.
bool may_have_effects(Opcode opcode) {
  return opcode == Opcode::CustomCall || ir::info(opcode).has(ir::Trait::SideEffect) ||
         ir::info(opcode).has(ir::Trait::Collective);
}

// A custom call in a program of a device is one of the device's own routines, unless the program calls the host.
bool has_effects(const Program &program) {
  bool found = program.calls_host();
  for (const plugin::Instruction i : program.image().view().instructions()) {
    found |= i.op() == BP_OP_CUSTOM_CALL ? i.integer(BP_ATTR_CUSTOM_CALL_HAS_SIDE_EFFECT, 0) != 0
                                         : may_have_effects(static_cast<Opcode>(i.op()));
  }
  return found;
}

}  // namespace

class StepGraph::Builder {
 public:
  Builder(StepGraph &graph, const ir::Module &module, const CalledExecutables &called, const LookInside &look_inside)
      : graph_(graph),
        module_(module),
        look_inside_(look_inside),
        value_(module.instruction_id_limit(), no_value),
        reach_(module.computation_id_limit()) {
    for (const ir::Computation computation : module.computations()) {  // callees come first
      Reach &reach = reach_[index(computation.id())];
      reach.is_called = called.contains(computation.id());
      for (const ir::Instruction i : computation.instructions()) {
        reach.has_effects |= may_have_effects(i.opcode());
        add_callees(i, reach);
      }
    }
    for (const auto &[computation, executable] : called) {
      for (const host::Device *device : look_inside(*executable).devices) {
        if (std::ranges::find(called_devices_, device) == called_devices_.end()) {
          called_devices_.push_back(device);
        }
      }
    }
    // Control dependences are those of instructions inside steps: all steps then keep their order.
    keeps_order_ = std::ranges::any_of(module.entry().instructions(),
                                       [](ir::Instruction i) { return i.control_predecessors().size() > 0; });
    for (const InstructionId id : module.entry().parameter_ids()) {
      graph.parameters_.push_back(define(id));
    }
  }

  void add(const Step &step) {
    if (step.instruction != ir::no_instruction) {
      // A root that is a tuple is made only if somebody else uses it: the results are its elements.
      if (step.instruction != module_.entry().root().id() || !is_tuple(step.instruction)) {
        add_instruction(step.instruction);
      }
    } else if (step.program != nullptr) {
      add_program(*step.program, step);
    } else if (const Inside inside = look_inside_(*step.executable); inside.program != nullptr) {
      add_program(*inside.program, step);
    } else {
      add_executable(inside, step);
    }
  }

  void finish() {
    const InstructionId root = module_.entry().root().id();
    graph_.is_whole_ = value_[index(root)] != no_value || !is_tuple(root);
    if (graph_.is_whole_) {
      graph_.results_ = {use(root)};
    } else {
      for (const InstructionId element : module_.instruction(root).operands()) {
        graph_.results_.push_back(use(element));
      }
    }
    graph_.find_lanes();
    graph_.find_places();
  }

 private:
  // Facts of a computation and of all that it reaches.
  struct Reach {
    bool has_effects = false;
    bool is_called = false;  // another executable runs it
  };

  bool is_tuple(InstructionId id) const { return module_.instruction(id).opcode() == Opcode::Tuple; }

  void add_callees(ir::Instruction i, Reach &reach) const {
    for (const ir::ComputationId callee : i.calls()) {
      reach.has_effects |= reach_[index(callee)].has_effects;
      reach.is_called |= reach_[index(callee)].is_called;
    }
  }

  std::uint32_t define(InstructionId id) {
    const std::uint32_t value = graph_.add_value();
    producer_.resize(graph_.uses_.size());
    return value_[index(id)] = value;
  }

  std::uint32_t value_of(InstructionId id) {
    if (value_[index(id)] == no_value) {
      add_instruction(id);  // the root's tuple
    }
    return value_[index(id)];
  }

  std::uint32_t use(InstructionId id) {
    const std::uint32_t value = value_of(id);
    ++graph_.uses_[value];
    return value;
  }

  void add_instruction(InstructionId id) {
    const ir::Instruction i = module_.instruction(id);
    if (i.opcode() == Opcode::Parameter) {
      return;
    }
    Node node;
    node.instruction = id;
    Reach reach{.has_effects = may_have_effects(i.opcode())};
    add_callees(i, reach);
    node.has_effects = reach.has_effects;
    node.is_light = !reach.is_called && !reach.has_effects && is_light_step(i);
    if (reach.is_called) {
      node.devices = called_devices_;
    }
    for (const InstructionId operand : i.operands()) {
      node.inputs.push_back(use(operand));
    }
    node.outputs = {define(id)};
    append(std::move(node));
  }

  void add_program(const Program &program, const Step &step) {
    Node node;
    node.program = &program;
    node.has_effects = has_effects(program);
    node.devices = {program.device().get()};
    add_values(step, node);
    append(std::move(node));
  }

  void add_values(const Step &step, Node &node) {
    for (const InstructionId id : step.inputs) {
      node.inputs.push_back(use(id));
    }
    for (const InstructionId id : step.outputs) {
      node.outputs.push_back(define(id));
    }
  }

  void add_executable(const Inside &inside, const Step &step) {
    const Executable &executable = *step.executable;
    const StepGraph &inner = *inside.graph;
    if (inner.nodes().empty() || inner.is_whole() || inner.depth_ >= max_inlined_depth) {
      Node node;
      node.executable = number_of(executable);
      node.has_effects = true;
      node.devices = inside.devices;
      add_values(step, node);
      append(std::move(node));
      return;
    }
    graph_.depth_ = std::max(graph_.depth_, inner.depth_ + 1);
    std::vector<std::uint32_t> values(inner.uses().size(), no_value);
    for (std::size_t i = 0; i < step.inputs.size(); ++i) {
      values[inner.parameters()[i]] = value_of(step.inputs[i]);
    }
    for (const Node &original : inner.nodes()) {
      Node node = original;
      node.next.clear();
      node.waits_for = 0;
      node.executable = number_of(original.executable == 0 ? executable : *inner.executables()[original.executable]);
      for (std::uint32_t &input : node.inputs) {
        input = values[input];
        ++graph_.uses_[input];
      }
      for (std::uint32_t &output : node.outputs) {
        output = values[output] = graph_.add_value();
      }
      producer_.resize(graph_.uses_.size());
      append(std::move(node));
    }
    for (std::size_t i = 0; i < step.outputs.size(); ++i) {
      value_[index(step.outputs[i])] = values[inner.results()[i]];
    }
  }

  std::uint32_t number_of(const Executable &executable) {
    auto &all = graph_.executables_;
    if (all.back() != &executable) {
      const auto found = std::ranges::find(all, &executable);
      if (found != all.end()) {
        return static_cast<std::uint32_t>(found - all.begin());
      }
      all.push_back(&executable);
    }
    return static_cast<std::uint32_t>(all.size() - 1);
  }

  // Adds a node after those that it waits for.
  void append(Node node) {
    const auto number = static_cast<std::uint32_t>(graph_.nodes_.size());
    const auto wait_for = [&](std::optional<std::uint32_t> before) {
      if (before && (graph_.nodes_[*before].next.empty() || graph_.nodes_[*before].next.back() != number)) {
        graph_.nodes_[*before].next.push_back(number);
        ++node.waits_for;
      }
    };
    for (const std::uint32_t input : node.inputs) {
      wait_for(producer_[input]);
    }
    for (const host::Device *device : node.devices) {
      wait_for(std::exchange(last_on_[device], number));
    }
    node.has_effects |= keeps_order_;
    if (node.has_effects) {
      wait_for(std::exchange(last_with_effects_, number));
    }
    for (const std::uint32_t output : node.outputs) {
      producer_[output] = number;
    }
    graph_.nodes_.push_back(std::move(node));
  }

  StepGraph &graph_;
  const ir::Module &module_;
  const LookInside &look_inside_;
  std::vector<std::uint32_t> value_;  // by instruction
  std::vector<Reach> reach_;          // by computation
  std::vector<const host::Device *> called_devices_;
  bool keeps_order_ = false;
  std::vector<std::optional<std::uint32_t>> producer_;  // by value: the node
  std::map<const host::Device *, std::optional<std::uint32_t>> last_on_;
  std::optional<std::uint32_t> last_with_effects_;
};

StepGraph::StepGraph(const ir::Module &module, std::span<const Step> steps, const CalledExecutables &called,
                     const LookInside &look_inside) {
  Builder builder(*this, module, called, look_inside);
  for (const Step &step : steps) {
    builder.add(step);
  }
  builder.finish();
}

std::uint32_t StepGraph::add_value() {
  uses_.push_back(0);
  return static_cast<std::uint32_t>(uses_.size() - 1);
}

namespace {

// Whether nodes may overlap.
struct Overlap {
  bool of_programs = false, with_host = false;
};

// The programs of one device form a chain. A node that is not one of them is independent of those that come after all
// that it waits for, and before all that wait for it.
Overlap overlap_with(const host::Device *device, std::span<const Node> nodes) {
  const auto is_in_chain = [&](const Node &node) { return node.program != nullptr && node.devices[0] == device; };
  std::vector<std::uint32_t> place(nodes.size());      // in the chain
  std::vector<std::uint32_t> before(nodes.size(), 0);  // the number of nodes of the chain that a node waits for
  std::uint32_t count = 0;
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    if (is_in_chain(nodes[n])) {
      place[n] = count++;
      before[n] = count;
    }
    for (const std::uint32_t next : nodes[n].next) {
      before[next] = std::max(before[next], before[n]);
    }
  }
  Overlap overlap;
  std::vector<std::uint32_t> after(nodes.size(), count);  // the place of the first that waits for a node
  for (std::size_t n = nodes.size(); n-- > 0;) {
    for (const std::uint32_t next : nodes[n].next) {
      after[n] = std::min(after[n], is_in_chain(nodes[next]) ? place[next] : after[next]);
    }
    if (!is_in_chain(nodes[n]) && !nodes[n].is_light && before[n] < after[n]) {
      (nodes[n].program != nullptr ? overlap.of_programs : overlap.with_host) = true;
    }
  }
  return overlap;
}

}  // namespace

void StepGraph::find_lanes() {
  std::vector<const host::Device *> devices, overlapping;
  for (const Node &node : nodes_) {
    if (node.program != nullptr && std::ranges::find(devices, node.devices[0]) == devices.end()) {
      devices.push_back(node.devices[0]);
    }
  }
  bool does_host_overlap = false;
  for (const host::Device *device : devices) {
    const Overlap overlap = overlap_with(device, nodes_);
    does_host_overlap |= overlap.with_host;
    if (overlap.of_programs || overlap.with_host) {
      overlapping.push_back(device);
    }
  }
  if (overlapping.empty()) {
    return;
  }
  // If the host has nothing to do meanwhile, its lane is also that of the first device.
  lane_count_ = static_cast<std::uint32_t>(overlapping.size()) + (does_host_overlap ? 1 : 0);
  for (Node &node : nodes_) {
    if (node.program != nullptr) {
      const auto found = std::ranges::find(overlapping, node.devices[0]);
      node.lane = found == overlapping.end() ? 0 : lane_count_ - static_cast<std::uint32_t>(overlapping.end() - found);
    }
  }
}

void StepGraph::find_places() {
  homes_.resize(uses_.size());
  std::set<std::pair<std::uint32_t, const host::Device *>> seen;
  for (std::size_t n = nodes_.size(); n-- > 0;) {
    Node &node = nodes_[n];
    node.is_read_again.clear();
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const host::Device *place = place_of(node, i);
      node.is_read_again.push_back(!seen.emplace(node.inputs[i], place).second);
      if (place != nullptr && (place->memory()->spaces[main_space].flags & BP_SPACE_HOST_VISIBLE) != 0) {
        homes_[node.inputs[i]] = node.program->device();
      }
    }
  }
}

}  // namespace bp::runtime
