// Small loops: a while whose condition and body do so little that most of its time would go into calls of kernels and
// into memory between them. Its code is one function, kernels included, and its small values are in variables of that
// function during the loop, of which LLVM makes registers.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "plugins/llvm/kernel/call.h"
#include "plugins/llvm/module_view.h"

namespace bp::emit {

// A piece of memory that only small values of the loop use, as one variable.
struct LoopVariable {
  Location location;        // of all of them together
  bool is_written = false;  // by the loop
};

struct SmallLoop {
  std::vector<LoopVariable> variables;  // disjoint

  // Returns the variable that contains the location; nullptr if it stays in memory.
  const LoopVariable *variable_of(const Location &location) const;
};

// Whether the kernel of an instruction may be part of the loop's code: those that sort, search or multiply matrices
// are long, and are called.
bool may_be_inlined(InstructionView instruction);

// Returns nothing if the instruction, a while, is not such a loop.
std::optional<SmallLoop> small_loop(InstructionView loop);

}  // namespace bp::emit
