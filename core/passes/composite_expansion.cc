// Inlines calls of composites that the device does not know by name.
#include "core/passes/expansion.h"

namespace bp::passes {

Result<bool> composite_expansion(ir::Module &module, const PassContext &context) {
  return expand_all(module, context, [&](ir::Instruction call) -> Result<ir::InstructionId> {
    if (call.opcode() != ir::Opcode::Call || call.number(ir::AttributeKey::IsComposite) == 0) {
      return call.id();
    }
    const std::vector<ir::InstructionId> arguments(call.operands().begin(), call.operands().end());
    return copy_body(module, call.called(0).id(), call.parent().id(), arguments);
  });
}

}  // namespace bp::passes
