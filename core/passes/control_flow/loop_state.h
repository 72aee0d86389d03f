// Changes of a while's state, for passes on loops.
#pragma once

#include <vector>

#include "core/analysis/side_effects.h"
#include "core/ir/builder.h"

namespace bp::passes {

// Whether the state of a while is a tuple that the condition and the body take apart immediately: their parameters are
// used by get-tuple-element only, the body's root is a tuple, and no instruction in them has control predecessors.
bool has_open_state(const ir::Instruction &loop);

// Returns the initial value of an element of the state, which is an operand of the initial tuple; no_instruction if the
// initial state is not made by a tuple instruction.
ir::InstructionId initial_element(const ir::Instruction &loop, std::size_t element);

struct NewState {
  std::vector<std::size_t> kept;  // elements of the old state, ascending; at least one
  // Elements that are the same constant in every iteration; the condition and the body then hold these constants.
  std::vector<std::size_t> constants;
  // Values from outside the loop that replace instructions of the old body.
  struct Added {
    ir::InstructionId outside, inside;
  };
  std::vector<Added> added;
};

// Adds a while with the new state in place of a while of open state. Returns a tuple that replaces the old result.
// Elements that are neither kept nor constants must not be needed by anything: the tuple has their initial values.
ir::InstructionId change_state(ir::Module &module, const ir::Instruction &loop, const NewState &state,
                               analysis::SideEffects &side_effects);

}  // namespace bp::passes
