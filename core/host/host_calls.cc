#include "core/host/host_calls.h"

#include <algorithm>

#include "backplane/ext/draft/host_call.h"

namespace bp::host {
namespace {

bool is_value(const ir::Shape &shape) {
  return shape.is_array() || shape.is_token();
}

// Whether the leaves say what the shape is.
bool is_flat(const ir::Shape &shape) {
  return is_value(shape) ||
         (shape.is_tuple() && shape.elements().size() > 1 && std::ranges::all_of(shape.elements(), is_value));
}

}  // namespace

bool HostCallMarks::has(const ir::Instruction &instruction) const {
  const auto calls_for = [&](std::uint32_t kind, std::string_view name) {
    return (kinds & kind) != 0 && std::ranges::find(functions, name) != functions.end();
  };
  switch (instruction.opcode()) {
    case ir::Opcode::Infeed: return calls_for(BP_CALLS_INFEED, "infeed") && is_flat(instruction.shape().elements()[0]);
    case ir::Opcode::Outfeed: return calls_for(BP_CALLS_OUTFEED, "outfeed") && is_flat(instruction.operand(0).shape());
    case ir::Opcode::CustomCall: break;
    default: return false;
  }
  if (!calls_for(BP_CALLS_FUNCTIONS, instruction.text(ir::AttributeKey::CustomCallTarget)) ||
      !instruction.calls().empty() || !is_flat(instruction.shape())) {
    return false;
  }
  return std::ranges::all_of(instruction.operands(), [&](ir::InstructionId operand) {
    return is_value(instruction.module().instruction(operand).shape());
  });
}

}  // namespace bp::host
