// Rewrites map as what its computation does to scalars, done to whole arrays.
#include <unordered_map>

#include "core/passes/expansion.h"

namespace bp::passes {
namespace {

using ir::Opcode;
using Id = ir::InstructionId;

// Scalars that only change their shape, which stays a scalar's.
bool keeps_scalar(ir::Instruction i) {
  return i.opcode() == Opcode::Broadcast || i.opcode() == Opcode::Reshape || i.opcode() == Opcode::Transpose;
}

bool is_scalar_by_scalar(ir::Computation computation) {
  for (ir::Instruction i : computation.instructions()) {
    const bool is_known = i.opcode() == Opcode::Parameter || i.opcode() == Opcode::Constant || keeps_scalar(i) ||
                          i.is(ir::Trait::Elementwise);
    if (!is_known || !i.shape().is_scalar() || !i.control_predecessors().empty()) {
      return false;
    }
  }
  return true;
}

}  // namespace

Result<bool> map_expansion(ir::Module &module, const PassContext &context) {
  return expand_all(module, context, [&](ir::Instruction map) -> Result<Id> {
    if (map.opcode() != Opcode::Map || !is_scalar_by_scalar(map.called(0))) {
      return map.id();
    }
    Expansion b(module, map);
    const std::vector<std::int64_t> sizes(map.shape().sizes().begin(), map.shape().sizes().end());
    std::unordered_map<Id, Id> arrays;
    const auto order = map.called(0).instruction_ids();
    for (Id scalar : std::vector(order.begin(), order.end())) {
      const ir::Instruction i = module.instruction(scalar);
      if (i.opcode() == Opcode::Parameter) {
        arrays[scalar] = map.operands()[static_cast<std::size_t>(i.parameter_number())];
      } else if (i.opcode() == Opcode::Constant) {
        arrays[scalar] = b.broadcast(b.constant(i.literal()), ir::Shape::array(i.shape().element_type(), sizes));
      } else if (keeps_scalar(i)) {
        arrays[scalar] = arrays[i.operands()[0]];
      } else {
        std::vector<Id> operands;
        for (Id operand : i.operands()) {
          operands.push_back(arrays[operand]);
        }
        const ir::Shape shape = ir::Shape::array(i.shape().element_type(), sizes);
        arrays[scalar] = module.clone_instruction(b.computation(), i, operands, {});
        module.set_shape(arrays[scalar], shape);
      }
    }
    return arrays[map.called(0).root().id()];
  });
}

}  // namespace bp::passes
