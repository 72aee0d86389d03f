// Whether threads share the work of an instruction.
#pragma once

#include "plugins/llvm/module_view.h"

namespace bp::emit {

// Whether it takes longer than it takes a second thread to wake up.
bool is_worth_sharing(InstructionView instruction);

}  // namespace bp::emit
