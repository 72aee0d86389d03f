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
  switch (instruction.opcode()) {
    case ir::Opcode::Infeed: return (kinds & BP_CALLS_INFEED) != 0 && is_flat(instruction.shape().elements()[0]);
    case ir::Opcode::Outfeed: return (kinds & BP_CALLS_OUTFEED) != 0 && is_flat(instruction.operand(0).shape());
    case ir::Opcode::CustomCall: break;
    default: return false;
  }
  if ((kinds & BP_CALLS_FUNCTIONS) == 0 || !instruction.calls().empty() || !is_flat(instruction.shape()) ||
      std::ranges::find(functions, instruction.text(ir::AttributeKey::CustomCallTarget)) == functions.end()) {
    return false;
  }
  return std::ranges::all_of(instruction.operands(), [&](ir::InstructionId operand) {
    return is_value(instruction.module().instruction(operand).shape());
  });
}

}  // namespace bp::host
