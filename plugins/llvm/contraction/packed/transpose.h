// Transposes in registers.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include "plugins/llvm/generator/loops.h"

namespace bp::emit {

// Transposes the matrix whose rows are the given vectors, by swapping halves of ever larger blocks. There are as many
// vectors as each has lanes, a power of two.
void transpose(llvm::IRBuilderBase &b, Values &rows);

}  // namespace bp::emit
