// Which arrays lose their place to results: a kernel that also reads such an array elsewhere than it writes cannot
// write where it lies, and so costs a copy of the whole.
#pragma once

#include <unordered_map>

#include "core/analysis/call_graph.h"
#include "core/ir/module.h"
#include "core/passes/fusion/kernel.h"

namespace bp::passes {

// A snapshot of one computation. Linear in its state and results.
class TakenPlaces {
 public:
  TakenPlaces(const ir::Module &module, const analysis::CallGraph &graph, ir::ComputationId computation);

  // The array in whose place a result belongs: what a scatter changes, or the state that a loop's body gets where it
  // leaves the result; no_instruction if there is none, or if that has to be copied in any case: a constant, or what
  // the program is given for reading only.
  ir::InstructionId taken_by(const ir::Instruction &result) const;

  // Whether one kernel that makes a result and does what another does would have to copy the array that the result
  // takes the place of: the other wants it at other elements than are written. `kernel`: of the other.
  bool would_need_copy(const ir::Instruction &result, const ir::Instruction &other, const Kernel &kernel) const;

 private:
  bool may_be_overwritten(const ir::Instruction &array) const;

  const ir::Module &module_;
  ir::ComputationId computation_;
  std::unordered_map<ir::InstructionId, ir::InstructionId> state_;  // of a loop's body: by result
};

// What lies in the same bytes: the operand of reshapes and bitcasts.
ir::Instruction behind_renaming(ir::Instruction instruction);

}  // namespace bp::passes
