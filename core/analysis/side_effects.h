// Which instructions do more than compute their result.
#pragma once

#include <vector>

#include "core/ir/module.h"

namespace bp::analysis {

// A snapshot of a verified module. An instruction has a side effect if its op has, if it communicates with other
// devices, or if something in a computation it calls has.
class SideEffects {
 public:
  explicit SideEffects(const ir::Module &module);

  // Takes in a computation made since, whose callees are known.
  void add(const ir::Computation &computation);

  bool has(const ir::Instruction &instruction) const;
  bool has(ir::ComputationId computation) const { return has_side_effect_[index(computation)]; }

 private:
  std::vector<bool> has_side_effect_;  // by computation id; false where the entry does not reach
};

}  // namespace bp::analysis
