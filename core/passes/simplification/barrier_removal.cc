// Removes opt-barrier and domain, which forward their operand. They keep passes from moving instructions across them,
// and are not needed after these passes.
#include "core/passes/pass.h"
#include "core/passes/rewrite.h"

namespace bp::passes {

Result<bool> barrier_removal(ir::Module &module, const PassContext &) {
  return rewrite_all(module, [](ir::Instruction instruction) -> Result<ir::InstructionId> {
    bool is_barrier =
        instruction.opcode() == ir::Opcode::OptimizationBarrier || instruction.opcode() == ir::Opcode::Domain;
    return is_barrier ? instruction.operands()[0] : instruction.id();
  });
}

}  // namespace bp::passes
