// bp_check(): whether the machine has the features that code was compiled for.
#pragma once

#include <string>

#include "plugins/cpu/target.h"

namespace bp::cpu {

// Returns the function as text in LLVM's language. It asks the processor, and on x86 also whether the system saves wide
// registers; it calls nothing.
std::string machine_check_text(const Target &target);

}  // namespace bp::cpu
