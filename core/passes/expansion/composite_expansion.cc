// Inlines calls of composites that the device does not know by name. Those that return the largest elements of lines,
// as "chlo.top_k", become a topk. Those that would make the module too large become plain calls.
#include "core/passes/expand.h"
#include "core/passes/expansion/top_k.h"
#include "core/passes/inlining.h"
#include "core/passes/pass.h"

namespace bp::passes {
namespace {

using ir::AttributeKey;
using ir::Instruction;
using ir::InstructionId;

bool is_composite(const Instruction &call) {
  return call.opcode() == ir::Opcode::Call && call.number(AttributeKey::IsComposite) != 0;
}

Result<bool> replace_top_k(ir::Module &module, const PassContext &context) {
  return expand_all(module, context, [&](Instruction call) -> Result<InstructionId> {
    const auto is_largest = is_composite(call) ? returns_largest(call.called(0)) : std::nullopt;
    if (!is_largest) {
      return call.id();
    }
    ArrayBuilder b(module, call);
    return add_top_k(b, call.operands()[0], call.shape().elements()[0].sizes().back(), *is_largest);
  });
}

}  // namespace

Result<bool> composite_expansion(ir::Module &module, const PassContext &context) {
  BP_ASSIGN(bool changed, replace_top_k(module, context));
  const auto is_refused = [&](const Instruction &call) {
    return is_composite(call) && !(context.is_native && context.is_native(call));
  };
  GrowthBudget budget(module, context);
  const bool is_inlined = inline_bodies(module, budget, [&](const Instruction &call) {
    return is_refused(call)
               ? std::optional(InlinedBody{call.calls()[0], {call.operands().begin(), call.operands().end()}})
               : std::nullopt;
  });
  std::vector<InstructionId> kept;
  for (const ir::Computation computation : module.computations()) {
    for (const Instruction instruction : computation.instructions()) {
      if (is_refused(instruction)) {
        kept.push_back(instruction.id());
      }
    }
  }
  for (const InstructionId id : kept) {
    module.set_number(id, AttributeKey::IsComposite, 0);
  }
  return changed || is_inlined || !kept.empty();
}

}  // namespace bp::passes
