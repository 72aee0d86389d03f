// Batch normalization in terms of other ops.
#pragma once

#include <unordered_map>

#include "core/ir/module.h"

namespace bp::passes {

inline bool is_batch_norm(const ir::Instruction &instruction) {
  const ir::Opcode opcode = instruction.opcode();
  return opcode == ir::Opcode::BatchNormTraining || opcode == ir::Opcode::BatchNormInference ||
         opcode == ir::Opcode::BatchNormGrad;
}

// Expands all batch normalizations of one module, which share the computations that add two scalars.
class BatchNormFormulas {
 public:
  explicit BatchNormFormulas(ir::Module &module) : module_(module) {}

  // Returns the replacement of a batch normalization, which may have dynamic dimensions. Narrow floats are computed in
  // f32.
  Result<ir::InstructionId> operator()(ir::Instruction batch_norm);

 private:
  ir::Module &module_;
  std::unordered_map<ir::ElementType, ir::ComputationId> sums_;  // by element type: adds two scalars
};

}  // namespace bp::passes
