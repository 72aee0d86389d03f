// A file of MLIR bytecode, as LLVM's "MLIR Bytecode Format" describes it, versions 0 to 6: sections, tables of strings,
// dialects, attributes and types, and the tree of operations. What attributes, types and properties mean is up to their
// dialects: they are bytes here, and the reader of a dialect skips what it does not know by its size.
#pragma once

#include <string_view>

#include "core/base/result.h"
#include "core/import/mlir/file.h"

namespace bp::import::mlir {

// Whether the bytes begin like a file of MLIR bytecode.
bool is_bytecode(std::string_view bytes);

// Reads a whole file. The result refers to the bytes, which must outlive it. Errors name the byte at which the file is
// not as expected. Takes time and memory in proportion to the size of the file, whatever it holds.
Result<File> read_bytecode(std::string_view bytes);

}  // namespace bp::import::mlir
