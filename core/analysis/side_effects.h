// Finds instructions that do more than compute their result.
#pragma once

#include <vector>

#include "core/ir/module.h"

namespace bp::analysis {

// A snapshot of a verified module. An instruction has a side effect if its op has one, if it communicates with other
// devices, or if an instruction in a computation it calls has a side effect.
class SideEffects {
 public:
  explicit SideEffects(const ir::Module &module);

  // Adds a computation that was created after the snapshot. Its callees must be known.
  void add(const ir::Computation &computation);

  bool has(const ir::Instruction &instruction) const;
  bool has(ir::ComputationId computation) const { return has_side_effect_[index(computation)]; }

 private:
  std::vector<bool> has_side_effect_;  // by computation id; false for computations that the entry does not reach
};

}  // namespace bp::analysis
