// Frames of the passes that rewrite an op by others, for devices that do not run it.
#pragma once

#include <algorithm>
#include <vector>

#include "core/passes/array_builder.h"
#include "core/passes/pass.h"
#include "core/passes/rewrite.h"

namespace bp::passes {

// Whether all sizes of an instruction's operands are known. Of a tuple that it takes one element from, the others are
// not looked at, as each of them may be asked for.
inline bool has_static_operands(const ir::Instruction &instruction) {
  if (instruction.opcode() == ir::Opcode::GetTupleElement) {
    return instruction.shape().is_static();
  }
  return std::ranges::all_of(instruction.operands(), [&](ir::InstructionId operand) {
    return instruction.module().instruction(operand).shape().is_static();
  });
}

// Rewrites every instruction that the device does not run; see rewrite_all(). What has dynamic dimensions is not visited:
// how many elements there are is not known before run time.
template <class Visit>
Result<bool> expand_all(ir::Module &module, const PassContext &context, Visit &&visit) {
  return rewrite_all(module, [&](ir::Instruction instruction) -> Result<ir::InstructionId> {
    const bool is_static = instruction.shape().is_static() && has_static_operands(instruction);
    if (!is_static || (context.is_native && context.is_native(instruction))) {
      return instruction.id();
    }
    return visit(instruction);
  });
}

// As expand_all(), but not inside functions of an op, where there is no room for loops.
template <class Visit>
Result<bool> expand_outside_functions(ir::Module &module, const PassContext &context, Visit &&visit) {
  const std::vector<bool> embedded = embedded_computations(module);
  return expand_all(module, context, [&](ir::Instruction instruction) -> Result<ir::InstructionId> {
    const auto parent = index(instruction.parent().id());
    return parent >= embedded.size() || embedded[parent] ? instruction.id() : visit(instruction);
  });
}

}  // namespace bp::passes
