// Computes values that are the same in every iteration of a loop before the loop. If the loop then has no iteration,
// they are not needed: ops cannot fail, but their time is lost, so expensive ops move only if at least one iteration is
// certain. Ops that only repeat or rename data are not moved, because their results would occupy memory during the
// whole loop.
#include <algorithm>
#include <unordered_set>

#include "core/analysis/trip_count.h"
#include "core/passes/control_flow/loop_state.h"
#include "core/passes/pass.h"
#include "core/passes/rewrite.h"

namespace bp::passes {
namespace {

using ir::Instruction;
using ir::InstructionId;
using ir::Opcode;

// Whether the op takes almost no time, though its result may take memory.
bool is_free(Opcode opcode) {
  switch (opcode) {
    case Opcode::Bitcast:
    case Opcode::Broadcast:
    case Opcode::Constant:
    case Opcode::GetTupleElement:
    case Opcode::Iota:
    case Opcode::Reshape: return true;
    default: return false;
  }
}

bool may_move(const Instruction &instruction, const analysis::SideEffects &side_effects) {
  switch (instruction.opcode()) {
    case Opcode::Parameter:
    case Opcode::Tuple:
    case Opcode::Copy:  // the program may need a buffer of its own here
    case Opcode::OptimizationBarrier:
    case Opcode::Domain:
    case Opcode::AddDependency: return false;
    default: return instruction.shape().is_array() && !side_effects.has(instruction);
  }
}

bool is_quick(const Instruction &instruction) {
  return instruction.is(ir::Trait::Elementwise) || instruction.opcode() == Opcode::Slice ||
         instruction.opcode() == Opcode::DynamicSlice || instruction.opcode() == Opcode::Transpose;
}

bool is_larger_than_operands(const Instruction &instruction) {
  std::int64_t bytes = 0;
  for (InstructionId operand : instruction.operands()) {
    bytes = std::max(bytes, instruction.module().instruction(operand).shape().byte_size());
  }
  return instruction.shape().byte_size() > 4 * std::max<std::int64_t>(bytes, 64);
}

class InvariantMover {
 public:
  InvariantMover(ir::Module &module, analysis::SideEffects &side_effects)
      : module_(module), side_effects_(side_effects) {}

  InstructionId run(const Instruction &loop) {
    if (!has_open_state(loop)) {
      return loop.id();
    }
    const ir::Computation body = loop.called(1);
    auto ids = body.instruction_ids();
    const std::vector<InstructionId> order(ids.begin(), ids.end());
    find_invariant(loop, order);
    NewState state;
    state.added = move_out(loop, order);
    if (state.added.empty()) {
      return loop.id();
    }
    for (std::size_t i = 0; i < loop.shape().elements().size(); ++i) {
      state.kept.push_back(i);
    }
    return change_state(module_, loop, state, side_effects_);
  }

 private:
  // Finds the invariant instructions, which are computed from constants and from elements that the loop does not
  // change, and among these the ones worth moving, which take time.
  void find_invariant(const Instruction &loop, std::span<const InstructionId> order) {
    const bool is_certain = analysis::trip_count(loop).value_or(0) > 0;
    const Instruction parameter = loop.called(1).parameter(0);
    for (InstructionId id : order) {
      const Instruction instruction = module_.instruction(id);
      if (auto element = analysis::element_of(instruction, parameter)) {
        if (analysis::passes_on(loop, *element)) {
          invariant_.insert(id);
        }
        continue;
      }
      auto operands = instruction.operands();
      const bool is_invariant =
          may_move(instruction, side_effects_) &&
          std::ranges::all_of(operands, [this](InstructionId operand) { return invariant_.contains(operand); }) &&
          (is_certain || is_free(instruction.opcode()) || is_quick(instruction));
      if (is_invariant) {
        invariant_.insert(id);
        if (!is_free(instruction.opcode()) && !is_larger_than_operands(instruction)) {
          worth_moving_.insert(id);
        }
      }
    }
  }

  // Copies the instructions worth moving, and their operands, before the loop. Returns the copied values that the rest
  // of the body uses.
  std::vector<NewState::Added> move_out(const Instruction &loop, std::span<const InstructionId> order) {
    std::unordered_set<InstructionId> needed = worth_moving_, used_inside;
    for (std::size_t i = order.size(); i-- > 0;) {
      const Instruction instruction = module_.instruction(order[i]);
      auto operands = instruction.operands();
      if (needed.contains(order[i]) && !analysis::element_of(instruction, loop.called(1).parameter(0))) {
        needed.insert(operands.begin(), operands.end());
      }
      if (!worth_moving_.contains(order[i])) {
        used_inside.insert(operands.begin(), operands.end());
      }
    }
    ir::Builder builder(module_, loop.parent().id());
    builder.copy_origin_from(loop);
    Copies outside;
    std::vector<NewState::Added> added;
    for (InstructionId id : order) {
      if (!needed.contains(id)) {
        continue;
      }
      const Instruction instruction = module_.instruction(id);
      if (auto element = analysis::element_of(instruction, loop.called(1).parameter(0))) {
        const InstructionId initial = initial_element(loop, *element);
        outside.emplace(id, initial != ir::no_instruction
                                ? initial
                                : builder.get_tuple_element(loop.operands()[0], static_cast<std::int64_t>(*element)));
        continue;
      }
      std::vector<InstructionId> operands;
      for (InstructionId operand : instruction.operands()) {
        operands.push_back(outside.at(operand));
      }
      const std::vector<ir::ComputationId> calls(instruction.calls().begin(), instruction.calls().end());
      const InstructionId copy = module_.clone_instruction(loop.parent().id(), instruction, operands, calls);
      outside.emplace(id, copy);
      if (worth_moving_.contains(id) && used_inside.contains(id)) {
        added.push_back({copy, id});
      }
    }
    return added;
  }

  ir::Module &module_;
  analysis::SideEffects &side_effects_;
  std::unordered_set<InstructionId> invariant_, worth_moving_;
};

}  // namespace

Result<bool> loop_invariant_code_motion(ir::Module &module, const PassContext &) {
  analysis::SideEffects side_effects(module);
  return rewrite_all(module, [&](Instruction instruction) -> Result<InstructionId> {
    return instruction.opcode() == Opcode::While ? InvariantMover(module, side_effects).run(instruction)
                                                 : instruction.id();
  });
}

}  // namespace bp::passes
