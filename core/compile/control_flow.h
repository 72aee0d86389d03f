// Loops, branches and calls that a device does not claim as a whole: the host takes the steps, and the device runs the
// computations that they call.
#pragma once

#include <span>
#include <vector>

#include "core/ir/module.h"

namespace bp::compile {

struct CalledComputation {
  ir::ComputationId id;
  ir::InstructionId caller;
};

// Returns the computations that these instructions run as loops, branches or calls, each once, except those that the
// host evaluates in less time than a device takes to start a program. Linear in the size of the module.
std::vector<CalledComputation> called_computations(const ir::Module &module,
                                                   std::span<const ir::InstructionId> instructions);

// Returns a module whose entry is the computation, with the mark of its caller. It shares nothing with the original,
// and has no aliases or donors.
ir::Module extract(const ir::Module &module, const CalledComputation &computation);

}  // namespace bp::compile
