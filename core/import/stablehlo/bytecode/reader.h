// Reads StableHLO that is stored as MLIR bytecode, which is how JAX stores and passes programs: operations of VHLO, of
// Shardy and of MLIR's builtin dialect.
#pragma once

#include "core/import/stablehlo/syntax.h"

namespace bp::import::stablehlo::bytecode {

// Returns the program as if its text had been read; attributes with the value that stands for their absence are
// absent. `file`: its name, for messages. The bytes must outlive the program.
Result<Program> read_program(std::string_view bytes, std::string file);

}  // namespace bp::import::stablehlo::bytecode
