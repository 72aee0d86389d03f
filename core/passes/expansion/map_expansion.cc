// Rewrites map as the operations of its computation on whole arrays, unless that adds too many instructions.
#include "core/passes/array_builder.h"
#include "core/passes/expand.h"
#include "core/passes/inlining.h"
#include "core/passes/pass.h"

namespace bp::passes {

Result<bool> map_expansion(ir::Module &module, const PassContext &context) {
  GrowthBudget budget(module, context);
  return expand_all(module, context, [&](ir::Instruction map) -> Result<ir::InstructionId> {
    if (map.opcode() != ir::Opcode::Map || !budget.try_spend(map, map.called(0))) {
      return map.id();
    }
    ArrayBuilder b(module, map);
    const std::vector<std::int64_t> sizes(map.shape().sizes().begin(), map.shape().sizes().end());
    const std::vector<ir::InstructionId> operands(map.operands().begin(), map.operands().end());
    const std::vector<ir::InstructionId> results = b.apply_to_arrays(map.called(0), operands, sizes);
    return results.empty() ? map.id() : results[0];
  });
}

}  // namespace bp::passes
