// Writes a file of MLIR bytecode, versions 0 to 6: the counterpart of read_bytecode().
#pragma once

#include <string>

#include "core/import/mlir/file.h"

namespace bp::import::mlir {

// Returns the bytes of the file. Its version decides about the form of its sections: at most 6, and at least 5
// if operations have properties. Regions must have the values of their operations defined before they are used. The
// arguments of a region have no locations of their own: they have that of its operation where the version wants one.
std::string write_bytecode(const File &file);

}  // namespace bp::import::mlir
