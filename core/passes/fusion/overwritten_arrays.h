// Arrays whose memory is reused by results. A kernel that computes such a result and also reads the array at other
// indices cannot write in place, so the whole array has to be copied.
#pragma once

#include <unordered_map>

#include "core/analysis/call_graph.h"
#include "core/ir/module.h"
#include "core/passes/fusion/kernel.h"

namespace bp::passes {

// Describes one computation at the time of construction. Linear in its state and results.
class OverwrittenArrays {
 public:
  OverwrittenArrays(const ir::Module &module, const analysis::CallGraph &graph, ir::ComputationId computation);

  // Returns the array whose memory a result should reuse: the operand that a scatter updates, or the element of the
  // state that a loop's body replaces by the result. Returns no_instruction if there is none, or if the array has to be
  // copied in any case, because it is a constant or a read-only input of the program.
  ir::InstructionId overwritten_by(const ir::Instruction &result) const;

  // Whether one kernel that computes both a result and `other` would have to copy the array whose memory the result
  // reuses, because `other` reads it at other indices than are written. `kernel` describes `other`.
  bool would_need_copy(const ir::Instruction &result, const ir::Instruction &other, const Kernel &kernel) const;

 private:
  bool may_be_overwritten(const ir::Instruction &array) const;

  const ir::Module &module_;
  ir::ComputationId computation_;
  std::unordered_map<ir::InstructionId, ir::InstructionId> state_;  // of a loop's body: element of the state, by result
};

// Returns the instruction whose bytes this one has: skips reshapes and bitcasts.
ir::Instruction behind_renaming(ir::Instruction instruction);

}  // namespace bp::passes
