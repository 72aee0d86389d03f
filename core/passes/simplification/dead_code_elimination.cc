// Finds needed instructions, backwards from the root and from side effects, and removes all others. Parameters are kept
// because they are part of the computation's signature. Computations that the entry no longer reaches are removed, too.
#include "core/analysis/side_effects.h"
#include "core/passes/pass.h"
#include "core/passes/rewrite.h"

namespace bp::passes {

Result<bool> dead_code_elimination(ir::Module &module, const PassContext &) {
  analysis::SideEffects side_effects(module);
  std::vector<bool> is_needed(module.instruction_id_limit(), false);
  bool changed = false;
  for (ir::ComputationId id : module.computation_ids()) {
    ir::Computation computation = module.computation(id);
    is_needed[index(computation.root().id())] = true;
    auto order = computation.instruction_ids();
    // Users come after their operands, so one backward pass is enough.
    for (std::size_t i = order.size(); i-- > 0;) {
      ir::Instruction instruction = module.instruction(order[i]);
      bool stays =
          is_needed[index(order[i])] || instruction.opcode() == ir::Opcode::Parameter || side_effects.has(instruction);
      if (stays) {
        is_needed[index(order[i])] = true;
        for (auto used : {instruction.operands(), instruction.control_predecessors()}) {
          for (ir::InstructionId operand : used) {
            is_needed[index(operand)] = true;
          }
        }
      }
    }
    std::vector<ir::InstructionId> needed;
    for (ir::InstructionId instruction : order) {
      if (is_needed[index(instruction)]) {
        needed.push_back(instruction);
      }
    }
    if (needed.size() != order.size()) {
      module.set_instruction_order(id, std::move(needed));
      changed = true;
    }
  }
  std::size_t computations = module.computation_ids().size();
  tidy(module);
  return changed || module.computation_ids().size() != computations;
}

}  // namespace bp::passes
