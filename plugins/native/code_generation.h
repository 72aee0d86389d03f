// Compiles LLVM IR to an object file.
#pragma once

#include <string>
#include <string_view>

#include "plugins/llvm/program.h"
#include "plugins/native/code_generators.h"

namespace bp::native {

// Optimizes the unit and returns it as text: "llvm" or "asm" (assembly). Fails with BP_INTERNAL if LLVM fails.
plugin::Result<std::string> generate_text(emit::CodeUnit &unit, llvm::TargetMachine &machine, std::string_view kind);

// Optimizes the unit and returns its object file. Fails with BP_INTERNAL if LLVM fails. May be called for several units
// at the same time, with a generator each. `dump`: path to which the IR (dump + ".ll") and the object (dump + ".o") are
// written, or empty.
plugin::Result<std::string> generate_object(emit::CodeUnit &unit, CodeGenerator &generator, const std::string &dump);

}  // namespace bp::native
