// How passes on loops change the state of a while.
#pragma once

#include <vector>

#include "core/analysis/side_effects.h"
#include "core/ir/builder.h"

namespace bp::passes {

// Whether the state of a while is a tuple that condition and body take apart at once: their parameters are used by
// get-tuple-element only, the body's root is a tuple, and nothing in there is ordered by control predecessors.
bool has_open_state(const ir::Instruction &loop);

// An element of the state before the first round: an operand of the initial tuple; no_instruction if it is not made by one.
ir::InstructionId initial_element(const ir::Instruction &loop, std::size_t element);

struct NewState {
  std::vector<std::size_t> kept;  // elements of the old state, ascending; at least one
  // Elements that are constants in every round, which condition and body then hold themselves.
  std::vector<std::size_t> constants;
  // Values from outside that stand for instructions of the old body.
  struct Added {
    ir::InstructionId outside, inside;
  };
  std::vector<Added> added;
};

// Makes a while of open state whose state is another, in place of the old one, and a tuple that stands for the old
// result. Of elements that are neither kept nor constants, nobody may need the value: there is any of its type.
ir::InstructionId change_state(ir::Module &module, const ir::Instruction &loop, const NewState &state,
                               analysis::SideEffects &side_effects);

}  // namespace bp::passes
