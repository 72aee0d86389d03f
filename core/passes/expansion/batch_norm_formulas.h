// Batch normalization in terms of other ops.
#pragma once

#include <unordered_map>

namespace bp::passes {

inline bool is_batch_norm(const ir::Instruction &instruction) {
  const ir::Opcode opcode = instruction.opcode();
  return opcode == ir::Opcode::BatchNormTraining || opcode == ir::Opcode::BatchNormInference ||
         opcode == ir::Opcode::BatchNormGrad;
}

// For all batch normalizations of one module, which share the functions that add.
class BatchNormFormulas {
 public:
  explicit BatchNormFormulas(ir::Module &module) : module_(module) {}

  // What takes the place of a batch normalization, dynamic dimensions included. Narrow floats are computed in f32.
  Result<ir::InstructionId> operator()(ir::Instruction batch_norm);

 private:
  ir::Module &module_;
  std::unordered_map<ir::ElementType, ir::ComputationId> sums_;  // by the type that they add
};

}  // namespace bp::passes
