// Writes StableHLO as MLIR bytecode, a portable artifact: the counterpart of read_program().
#pragma once

#include <string>

#include "core/import/stablehlo/bytecode/vhlo.h"
#include "core/import/stablehlo/syntax.h"

namespace bp::import::stablehlo::bytecode {

// Returns the bytes of the program, for readers of version `target`, oldest_version to newest_version: operations have
// the form that this version has. Fails if the program has an operation, an attribute or a type that it lacks, or one
// that is not StableHLO or Shardy. The program must be verified.
Result<std::string> write_program(const Program &program, Version target);

}  // namespace bp::import::stablehlo::bytecode
