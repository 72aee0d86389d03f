// Common parts of the passes that rewrite an op as other ops, for devices that do not run it.
#pragma once

#include <algorithm>
#include <vector>

#include "core/ir/result_accuracy.h"
#include "core/passes/array_builder.h"
#include "core/passes/pass.h"
#include "core/passes/rewrite.h"

namespace bp::passes {

// Whether all sizes of an instruction's operands are known. For GetTupleElement only the element that it takes counts,
// because each of the others may be read by an instruction of its own.
inline bool has_static_operands(const ir::Instruction &instruction) {
  if (instruction.opcode() == ir::Opcode::GetTupleElement) {
    return instruction.shape().is_static();
  }
  return std::ranges::all_of(instruction.operands(), [&](ir::InstructionId operand) {
    return instruction.module().instruction(operand).shape().is_static();
  });
}

// Returns a value, an array or a tuple of arrays, in the layouts of the instruction that it replaces: the caller of the
// program and users such as a bitcast rely on them.
ir::InstructionId in_layout_of(ir::Module &module, ir::Instruction replaced, ir::InstructionId value);

// Whether the instruction asks for a result that is nearer to the exact one than those of formulas of several
// operations, which are up to 5.3 units in the last place away (docs/precision.md).
inline bool needs_better_than_formulas(const ir::Instruction &instruction) {
  constexpr std::uint32_t distance_of_formulas = 6;
  const std::uint32_t ulps = ir::required_ulps(instruction);
  return ulps != 0 && ulps < distance_of_formulas;
}

// Rewrites every instruction that the device does not run; see rewrite_all(). Instructions with dynamic dimensions are
// not visited, because their number of elements is unknown before run time.
template <class Visit>
Result<bool> expand_all(ir::Module &module, const PassContext &context, Visit &&visit) {
  return rewrite_all(module, [&](ir::Instruction instruction) -> Result<ir::InstructionId> {
    const bool is_static = instruction.shape().is_static() && has_static_operands(instruction);
    if (!is_static || (context.is_native && context.is_native(instruction))) {
      return instruction.id();
    }
    BP_ASSIGN(const ir::InstructionId value, visit(instruction));
    return in_layout_of(module, module.instruction(instruction.id()), value);
  });
}

// Does the same as expand_all(), but not inside embedded computations, where loops are not possible.
template <class Visit>
Result<bool> expand_outside_functions(ir::Module &module, const PassContext &context, Visit &&visit) {
  const std::vector<bool> embedded = embedded_computations(module);
  return expand_all(module, context, [&](ir::Instruction instruction) -> Result<ir::InstructionId> {
    const auto parent = index(instruction.parent().id());
    return parent >= embedded.size() || embedded[parent] ? instruction.id() : visit(instruction);
  });
}

}  // namespace bp::passes
