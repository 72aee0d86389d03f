// Removal of instructions that no output needs: a graph is imported node by node, with all that its nodes compute.
#pragma once

#include "core/ir/module.h"

namespace bp::import::array {

// Removes instructions that the entry's root does not need, except parameters, and computations that nothing calls.
void remove_unused(ir::Module &module);

}  // namespace bp::import::array
