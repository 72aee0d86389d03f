#include "core/passes/control_flow/loop_state.h"

#include <algorithm>
#include <array>
#include <unordered_set>

#include "core/analysis/trip_count.h"
#include "core/passes/rewrite.h"

namespace bp::passes {
namespace {

using ir::Instruction;
using ir::InstructionId;
using ir::Opcode;

bool unpacks_state(const ir::Computation &computation) {
  const Instruction parameter = computation.parameter(0);
  if (computation.root() == parameter) {
    return false;
  }
  for (Instruction instruction : computation.instructions()) {
    const bool is_element = instruction.opcode() == Opcode::GetTupleElement;
    if ((!is_element && std::ranges::find(instruction.operands(), parameter.id()) != instruction.operands().end()) ||
        !instruction.control_predecessors().empty()) {
      return false;
    }
  }
  return true;
}

class StateChange {
 public:
  StateChange(ir::Module &module, const Instruction &loop, const NewState &state, analysis::SideEffects &side_effects)
      : module_(module), loop_(loop), state_(state), side_effects_(side_effects), builder_(module, loop.parent().id()) {
    builder_.copy_origin_from(loop);
  }

  InstructionId run() {
    const std::size_t count = loop_.shape().elements().size();
    std::vector<InstructionId> old_elements, initial;
    for (std::size_t i = 0; i < count; ++i) {
      InstructionId element = initial_element(loop_, i);
      old_elements.push_back(element != ir::no_instruction
                                 ? element
                                 : builder_.get_tuple_element(loop_.operands()[0], static_cast<std::int64_t>(i)));
    }
    for (std::size_t i : state_.kept) {
      initial.push_back(old_elements[i]);
    }
    for (const NewState::Added &added : state_.added) {
      initial.push_back(added.outside);
    }
    const std::array operands{builder_.tuple(initial)};
    shape_ = builder_.shape(operands[0]);
    const std::array calls{copy(loop_.called(0), false), copy(loop_.called(1), true)};
    const InstructionId loop = module_.clone_instruction(loop_.parent().id(), loop_, operands, calls);
    module_.set_shape(loop, shape_);
    for (std::size_t i = 0; i < state_.kept.size(); ++i) {
      if (!analysis::passes_on(loop_, state_.kept[i])) {
        old_elements[state_.kept[i]] = builder_.get_tuple_element(loop, static_cast<std::int64_t>(i));
      }
    }
    return builder_.tuple(old_elements);
  }

 private:
  bool is_kept(std::size_t element) const { return std::ranges::binary_search(state_.kept, element); }

  // Returns the instructions that have to be computed: the condition or the kept elements of the next state, all
  // instructions with side effects, and their operands. Elements of the state and added values are replaced instead.
  std::unordered_set<InstructionId> find_needed(const ir::Computation &old, bool is_body, const Copies &copies) const {
    std::unordered_set<InstructionId> needed;
    if (is_body) {
      for (std::size_t i : state_.kept) {
        needed.insert(old.root().operands()[i]);
      }
    } else {
      needed.insert(old.root().id());
    }
    auto order = old.instruction_ids();
    for (std::size_t i = order.size(); i-- > 0;) {
      const Instruction instruction = module_.instruction(order[i]);
      if ((needed.contains(order[i]) || side_effects_.has(instruction)) && !copies.contains(order[i])) {
        needed.insert(order[i]);
        needed.insert(instruction.operands().begin(), instruction.operands().end());
      }
    }
    return needed;
  }

  ir::ComputationId copy(const ir::Computation &old, bool is_body) {
    const ir::ComputationId result = module_.add_computation(std::string(old.name()));
    module_.set_execution_thread(result, std::string(old.execution_thread()));
    ir::Builder b(module_, result);
    const InstructionId parameter = b.parameter(shape_, std::string(old.parameter(0).name()));
    Copies copies{{old.parameter(0).id(), parameter}};
    std::vector<InstructionId> next;
    for (std::size_t i = 0; i < state_.added.size(); ++i) {
      next.push_back(b.get_tuple_element(parameter, static_cast<std::int64_t>(state_.kept.size() + i)));
      if (is_body) {
        copies.emplace(state_.added[i].inside, next.back());
      }
    }
    auto ids = old.instruction_ids();
    const std::vector<InstructionId> order(ids.begin(), ids.end());
    for (InstructionId id : order) {
      if (auto element = analysis::element_of(module_.instruction(id), old.parameter(0));
          element && !copies.contains(id)) {
        copies.emplace(id, element_in_copy(b, parameter, *element));
      }
    }
    const std::unordered_set<InstructionId> needed = find_needed(old, is_body, copies);
    for (InstructionId id : order) {
      if (needed.contains(id) && !copies.contains(id)) {
        copies.emplace(id, clone(result, module_.instruction(id), copies));
      }
    }
    if (!is_body) {
      b.finish(copies.at(old.root().id()));
      side_effects_.add(module_.computation(result));
      return result;
    }
    std::vector<InstructionId> elements;
    for (std::size_t i : state_.kept) {
      elements.push_back(copies.at(old.root().operands()[i]));
    }
    elements.insert(elements.end(), next.begin(), next.end());
    b.finish(b.tuple(elements));
    side_effects_.add(module_.computation(result));
    return result;
  }

  // Returns the element of the new state, or the constant that replaces it. For a removed element returns the
  // parameter, which no needed instruction uses.
  InstructionId element_in_copy(ir::Builder &b, InstructionId parameter, std::size_t element) {
    if (std::ranges::find(state_.constants, element) != state_.constants.end()) {
      return module_.clone_instruction(b.computation(), module_.instruction(initial_element(loop_, element)), {}, {});
    }
    auto found = std::ranges::lower_bound(state_.kept, element);
    return is_kept(element) ? b.get_tuple_element(parameter, found - state_.kept.begin()) : parameter;
  }

  InstructionId clone(ir::ComputationId to, const Instruction &original, const Copies &copies) {
    std::vector<InstructionId> operands;
    for (InstructionId operand : original.operands()) {
      operands.push_back(copies.at(operand));
    }
    const std::vector<ir::ComputationId> calls(original.calls().begin(), original.calls().end());
    return module_.clone_instruction(to, original, operands, calls);
  }

  ir::Module &module_;
  const Instruction loop_;
  const NewState &state_;
  analysis::SideEffects &side_effects_;
  ir::Builder builder_;
  ir::Shape shape_;
};

}  // namespace

bool has_open_state(const Instruction &loop) {
  return loop.shape().is_tuple() && loop.called(1).root().opcode() == Opcode::Tuple && unpacks_state(loop.called(0)) &&
         unpacks_state(loop.called(1));
}

InstructionId initial_element(const Instruction &loop, std::size_t element) {
  const Instruction initial = loop.operand(0);
  return initial.opcode() == Opcode::Tuple ? initial.operands()[element] : ir::no_instruction;
}

InstructionId change_state(ir::Module &module, const Instruction &loop, const NewState &state,
                           analysis::SideEffects &side_effects) {
  return StateChange(module, loop, state, side_effects).run();
}

}  // namespace bp::passes
