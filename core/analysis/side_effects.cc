#include "core/analysis/side_effects.h"

#include <algorithm>

#include "core/analysis/call_graph.h"

namespace bp::analysis {

SideEffects::SideEffects(const ir::Module &module) : has_side_effect_(module.computation_id_limit(), false) {
  CallGraph graph(module);
  for (ir::ComputationId id : graph.callees_first()) {
    has_side_effect_[index(id)] =
        std::ranges::any_of(module.computation(id).instructions(), [this](const ir::Instruction &i) { return has(i); });
  }
}

bool SideEffects::has(const ir::Instruction &instruction) const {
  if (instruction.is(ir::Trait::SideEffect) || instruction.is(ir::Trait::Collective) ||
      instruction.number(ir::AttributeKey::CustomCallHasSideEffect) != 0) {
    return true;
  }
  // A custom call says itself whether it has side effects; what it calls is up to it.
  return instruction.opcode() != ir::Opcode::CustomCall &&
         std::ranges::any_of(instruction.calls(), [this](ir::ComputationId callee) { return has(callee); });
}

}  // namespace bp::analysis
