// op(transpose(x), transpose(y))  ->  transpose(op(x, y)), also for reshapes: ops that only rename dimensions move
// towards the results, where they may meet ops that undo them, or a dot that absorbs them. Applied if all operands have
// been moved in the same way or have equal elements, if the moved values have no other users, and if the result is not
// wider: so the amount of data moved never increases. One pass, operands first, so that a movement passes a whole
// chain.
#include <algorithm>
#include <unordered_map>

#include "core/analysis/users.h"
#include "core/passes/array_builder.h"
#include "core/passes/pass.h"
#include "core/passes/rewrite.h"

namespace bp::passes {
namespace {

using ir::Instruction;
using ir::InstructionId;
using ir::Opcode;
using ir::Shape;

bool is_movement(const Instruction &instruction) {
  return (instruction.opcode() == Opcode::Transpose || instruction.opcode() == Opcode::Reshape) &&
         is_plain(instruction) && instruction.shape().element_count() > 1;
}

bool is_same_movement(const Instruction &a, const Instruction &b) {
  return a.opcode() == b.opcode() && same_sizes(a.operand(0).shape(), b.operand(0).shape()) &&
         (a.opcode() == Opcode::Reshape || std::ranges::equal(a.dimensions(), b.dimensions()));
}

class MovementSinker {
 public:
  explicit MovementSinker(ir::Module &module) : module_(module), users_(module) {}

  InstructionId run(const Instruction &instruction) {
    const InstructionId keep = instruction.id();
    // A complex op only combines its parts, which some devices need separately.
    const bool only_names = instruction.opcode() == Opcode::Copy || instruction.opcode() == Opcode::Complex;
    if (!instruction.is(ir::Trait::Elementwise) || only_names || !is_plain(instruction)) {
      return keep;
    }
    std::vector<Instruction> operands;
    for (InstructionId id : instruction.operands()) {
      operands.push_back(module_.instruction(id));
    }
    const auto moved = std::ranges::find_if(operands, is_movement);
    if (moved == operands.end() || !std::ranges::all_of(operands, [&](const Instruction &operand) {
          return operand.shape().is_scalar() || is_repeated_scalar(operand) ||
                 (is_movement(operand) && is_same_movement(operand, *moved) && has_one_user(operand));
        })) {
      return keep;
    }
    std::int64_t bits = 0;
    for (const Instruction &operand : operands) {
      bits += is_movement(operand) ? ir::bit_width(operand.shape().element_type()) : 0;
    }
    return bits < ir::bit_width(instruction.shape().element_type()) ? keep : sink(instruction, operands, *moved);
  }

 private:
  bool has_one_user(const Instruction &movement) const {
    auto made = made_for_.find(movement.id());
    return users_.of(made == made_for_.end() ? movement.id() : made->second).size() == 1;
  }

  InstructionId sink(const Instruction &instruction, std::span<const Instruction> operands, const Instruction &moved) {
    ArrayBuilder b(module_, instruction);
    const Shape result = instruction.shape(), inner = moved.operand(0).shape();
    const Opcode movement = moved.opcode();
    const std::vector<std::int64_t> dimensions(moved.dimensions().begin(), moved.dimensions().end());
    std::vector<InstructionId> sources;
    for (const Instruction &operand : operands) {
      sources.push_back(
          operand.shape().is_scalar() ? operand.id()
          : is_movement(operand)
              ? operand.operands()[0]
              : b.broadcast(operand.operands()[0], Shape::array(operand.shape().element_type(), inner.sizes())));
    }
    const InstructionId computed = module_.clone_instruction(instruction.parent().id(), instruction, sources, {});
    module_.set_shape(computed, Shape::array(result.element_type(), inner.sizes()));
    const InstructionId sunk = movement == Opcode::Reshape ? b.ir::Builder::reshape(computed, result.sizes())
                                                           : b.transpose(computed, dimensions);
    made_for_[sunk] = instruction.id();
    return sunk;
  }

  ir::Module &module_;
  const analysis::Users users_;
  std::unordered_map<InstructionId, InstructionId> made_for_;  // by sunk instruction: the one it replaces
};

}  // namespace

Result<bool> movement_sinking(ir::Module &module, const PassContext &) {
  MovementSinker sinker(module);
  return rewrite_outside_fusions(
      module, [&](Instruction instruction) -> Result<InstructionId> { return sinker.run(instruction); });
}

}  // namespace bp::passes
