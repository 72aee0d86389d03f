// Replaces fusions by the instructions of their bodies.
#include "core/passes/fusion/fusion_builder.h"
#include "core/passes/pass.h"
#include "core/passes/rewrite.h"

namespace bp::passes {

Result<bool> fusion_expansion(ir::Module &module, const PassContext &context) {
  const std::vector<bool> embedded = embedded_computations(module);
  std::vector<ir::InstructionId> fusions;
  for (ir::Computation computation : module.computations()) {
    for (ir::Instruction i : computation.instructions()) {
      if (i.opcode() == ir::Opcode::Fusion && !embedded[index(computation.id())] &&
          (!context.is_native || !context.is_native(i))) {
        fusions.push_back(i.id());
      }
    }
  }
  if (fusions.empty()) {
    return false;
  }
  BP_ASSIGN(const auto parts, take_apart(module, fusions));
  tidy(module);
  return !parts.empty();
}

}  // namespace bp::passes
