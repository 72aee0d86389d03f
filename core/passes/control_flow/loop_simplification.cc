// Rules for while:
//   no iterations               replaced by the initial state
//   one iteration               replaced by the body
//   element that never changes  read from the initial state; if it is a constant, a constant in the loop, too
//   element that is not needed  removed; needed is what the condition, a needed element or a user of the loop reads
#include <algorithm>
#include <unordered_set>

#include "core/analysis/trip_count.h"
#include "core/analysis/users.h"
#include "core/passes/control_flow/loop_state.h"
#include "core/passes/inlining.h"
#include "core/passes/pass.h"
#include "core/passes/rewrite.h"

namespace bp::passes {
namespace {

using ir::Instruction;
using ir::InstructionId;
using ir::Opcode;

class LoopSimplifier {
 public:
  LoopSimplifier(ir::Module &module, const PassContext &context)
      : module_(module), context_(context), users_(module), side_effects_(module) {}

  InstructionId run(const Instruction &instruction) {
    if (instruction.opcode() == Opcode::GetTupleElement) {
      return unchanged_element(instruction);
    }
    return instruction.opcode() == Opcode::While ? loop(instruction) : instruction.id();
  }

 private:
  InstructionId unchanged_element(const Instruction &element) const {
    const Instruction loop = element.operand(0);
    const auto i = static_cast<std::size_t>(element.tuple_index());
    if (loop.opcode() != Opcode::While || !analysis::passes_on(loop, i)) {
      return element.id();
    }
    const InstructionId initial = initial_element(loop, i);
    return initial == ir::no_instruction ? element.id() : initial;
  }

  InstructionId loop(const Instruction &loop) {
    if (!side_effects_.has(loop.calls()[0]) && analysis::trip_count(loop) == 0) {
      return loop.operands()[0];
    }
    return has_open_state(loop) ? with_smaller_state(loop) : loop.id();
  }

  InstructionId with_smaller_state(const Instruction &loop) {
    const std::size_t count = loop.shape().elements().size();
    NewState state;
    std::vector<bool> is_constant(count);
    for (std::size_t i = 0; i < count; ++i) {
      const InstructionId initial = initial_element(loop, i);
      if (initial != ir::no_instruction && analysis::passes_on(loop, i) &&
          may_be_copied(module_.instruction(initial))) {
        is_constant[i] = true;
        state.constants.push_back(i);
      }
    }
    const std::vector<bool> needed = find_needed(loop, is_constant);
    for (std::size_t i = 0; i < count; ++i) {
      if (needed[i] && !is_constant[i]) {
        state.kept.push_back(i);
      }
    }
    return state.kept.size() == count || state.kept.empty() ? loop.id()
                                                            : change_state(module_, loop, state, side_effects_);
  }

  bool may_be_copied(const Instruction &initial) const {
    return initial.opcode() == Opcode::Constant && initial.shape().is_array() &&
           initial.shape().byte_size() <= context_.max_fused_constant_bytes;
  }

  // Returns the elements that are needed by a user of the loop, the condition, a side effect or another needed element.
  std::vector<bool> find_needed(const Instruction &loop, const std::vector<bool> &is_constant) const {
    std::vector<bool> needed = used_afterwards(loop);
    const ir::Computation body = loop.called(1);
    std::vector<InstructionId> work;
    std::unordered_set<InstructionId> seen;
    auto visit = [&](InstructionId id) {
      if (seen.insert(id).second) {
        work.push_back(id);
      }
    };
    auto need = [&](std::size_t element) {
      needed[element] = true;
      visit(body.root().operands()[element]);
    };
    for (ir::Computation computation : {loop.called(0), body}) {
      for (Instruction instruction : computation.instructions()) {
        if (side_effects_.has(instruction)) {
          visit(instruction.id());
        }
      }
    }
    visit(loop.called(0).root().id());
    for (std::size_t i = 0; i < needed.size(); ++i) {
      if (needed[i]) {
        need(i);
      }
    }
    while (!work.empty()) {
      const Instruction instruction = module_.instruction(work.back());
      work.pop_back();
      if (auto element = analysis::element_of(instruction, instruction.parent().parameter(0))) {
        if (!is_constant[*element]) {
          need(*element);
        }
        continue;
      }
      for (InstructionId operand : instruction.operands()) {
        visit(operand);
      }
    }
    return needed;
  }

  std::vector<bool> used_afterwards(const Instruction &loop) const {
    const std::size_t count = loop.shape().elements().size();
    std::vector<bool> used(count, loop.parent().root() == loop);
    for (InstructionId id : users_.of(loop.id())) {
      const Instruction user = module_.instruction(id);
      if (user.opcode() != Opcode::GetTupleElement) {
        return std::vector(count, true);
      }
      const auto i = static_cast<std::size_t>(user.tuple_index());
      // An element that never changes is read from the initial state instead.
      used[i] = used[i] || !analysis::passes_on(loop, i) || initial_element(loop, i) == ir::no_instruction;
    }
    return used;
  }

  ir::Module &module_;
  const PassContext &context_;
  const analysis::Users users_;
  analysis::SideEffects side_effects_;
};

bool inline_single_iterations(ir::Module &module, const PassContext &context) {
  const analysis::SideEffects side_effects(module);
  GrowthBudget budget(module, context);
  return inline_bodies(module, budget, [&](const Instruction &loop) -> std::optional<InlinedBody> {
    const bool is_single =
        loop.opcode() == Opcode::While && !side_effects.has(loop.calls()[0]) && analysis::trip_count(loop) == 1;
    return is_single ? std::optional(InlinedBody{loop.calls()[1], {loop.operands()[0]}}) : std::nullopt;
  });
}

}  // namespace

Result<bool> loop_simplification(ir::Module &module, const PassContext &context) {
  const bool has_inlined = inline_single_iterations(module, context);
  LoopSimplifier simplifier(module, context);
  BP_ASSIGN(const bool changed, rewrite_all(module, [&](Instruction instruction) -> Result<InstructionId> {
              return simplifier.run(instruction);
            }));
  return has_inlined || changed;
}

}  // namespace bp::passes
