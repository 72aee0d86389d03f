// Replaces each call by a copy of the callee's instructions, callees first, so that what is copied has no calls left to
// inline. Calls stay whose callee is composite (a device may know it by name) or runs on another thread.
#include "core/passes/pass.h"
#include "core/passes/rewrite.h"

namespace bp::passes {
namespace {

bool is_inlinable(const ir::Instruction &call) {
  return call.opcode() == ir::Opcode::Call && call.number(ir::AttributeKey::IsComposite) == 0 &&
         call.called(0).execution_thread() == call.parent().execution_thread();
}

}  // namespace

Result<bool> call_inlining(ir::Module &module, const PassContext &context) {
  tidy(module);
  // Chains of calls can double the module at each step: stop at the limit.
  std::size_t count = module.instruction_count();
  return rewrite_all(module, [&](ir::Instruction instruction) -> Result<ir::InstructionId> {
    if (!is_inlinable(instruction)) {
      return instruction.id();
    }
    std::size_t added = instruction.called(0).instruction_count();
    if (count + added > context.max_instructions) {
      return instruction.id();
    }
    count += added;
    auto operands = instruction.operands();
    std::vector<ir::InstructionId> arguments(operands.begin(), operands.end());
    return copy_body(module, instruction.called(0).id(), instruction.parent().id(), arguments);
  });
}

}  // namespace bp::passes
