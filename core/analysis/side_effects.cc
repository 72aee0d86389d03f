#include "core/analysis/side_effects.h"

#include <algorithm>

#include "core/analysis/call_graph.h"

namespace bp::analysis {

SideEffects::SideEffects(const ir::Module &module) : has_side_effect_(module.computation_id_limit(), false) {
  CallGraph graph(module);
  for (ir::ComputationId id : graph.callees_first()) {
    add(module.computation(id));
  }
}

void SideEffects::add(const ir::Computation &computation) {
  const auto id = index(computation.id());
  has_side_effect_.resize(std::max<std::size_t>(has_side_effect_.size(), id + 1));
  has_side_effect_[id] =
      std::ranges::any_of(computation.instructions(), [this](const ir::Instruction &i) { return has(i); });
}

bool SideEffects::has(const ir::Instruction &instruction) const {
  if (instruction.is(ir::Trait::SideEffect) || instruction.is(ir::Trait::Collective) ||
      instruction.number(ir::AttributeKey::CustomCallHasSideEffect) != 0) {
    return true;
  }
  // A custom call states itself whether it has side effects, independently of the computations it calls.
  return instruction.opcode() != ir::Opcode::CustomCall &&
         std::ranges::any_of(instruction.calls(), [this](ir::ComputationId callee) { return has(callee); });
}

}  // namespace bp::analysis
