// Inlines calls of composites that the device does not know by name.
#include "core/passes/inlining.h"
#include "core/passes/pass.h"

namespace bp::passes {

Result<bool> composite_expansion(ir::Module &module, const PassContext &context) {
  GrowthBudget budget(module, context);
  return inline_bodies(module, budget, [&](const ir::Instruction &call) -> std::optional<InlinedBody> {
    const bool is_composite = call.opcode() == ir::Opcode::Call && call.number(ir::AttributeKey::IsComposite) != 0;
    if (!is_composite || (context.is_native && context.is_native(call))) {
      return std::nullopt;
    }
    return InlinedBody{call.calls()[0], {call.operands().begin(), call.operands().end()}};
  });
}

}  // namespace bp::passes
