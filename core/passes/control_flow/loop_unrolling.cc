// Replaces small loops with a known number of iterations by that number of copies of their body.
#include "core/analysis/side_effects.h"
#include "core/analysis/trip_count.h"
#include "core/passes/inlining.h"
#include "core/passes/pass.h"
#include "core/passes/rewrite.h"

namespace bp::passes {

Result<bool> loop_unrolling(ir::Module &module, const PassContext &context) {
  const analysis::SideEffects side_effects(module);
  GrowthBudget budget(module, context);
  return rewrite_all(module, [&](ir::Instruction loop) -> Result<ir::InstructionId> {
    if (loop.opcode() != ir::Opcode::While || side_effects.has(loop.calls()[0])) {
      return loop.id();
    }
    const auto iterations = analysis::trip_count(loop);
    const auto size = static_cast<std::int64_t>(loop.called(1).instruction_count());
    const auto limit = static_cast<std::int64_t>(context.max_unrolled_instructions);
    if (!iterations || *iterations > limit / std::max<std::int64_t>(size, 1) ||
        !budget.try_spend(loop, loop.called(1), static_cast<std::size_t>(*iterations))) {
      return loop.id();
    }
    ir::InstructionId state = loop.operands()[0];
    for (std::int64_t iteration = 0; iteration < *iterations; ++iteration) {
      state = inline_body(module, loop, loop.calls()[1], {&state, 1});
    }
    return state;
  });
}

}  // namespace bp::passes
