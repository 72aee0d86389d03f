// From LLVM IR to an object file.
#pragma once

#include <string>

#include "plugins/cpu/target.h"
#include "plugins/llvm/program.h"

namespace bp::cpu {

// Optimizes the unit and returns its object file; empty with an error if LLVM fails. Units may be done at the same
// time. dump: where to write the IR (dump + ".ll") and the object (".o"), or empty.
std::string generate_object(emit::CodeUnit &unit, const Target &target, const std::string &dump, std::string &error);

}  // namespace bp::cpu
