// Whether instructions do the same, given equal operands.
#pragma once

#include "core/ir/module.h"

namespace bp::passes {

// By opcode, shape, attributes that are part of the value, called computations and literal; operands are not looked at.
bool is_same_operation(const ir::Instruction &a, const ir::Instruction &b);
// Equal for the same operations.
std::size_t hash_of_operation(const ir::Instruction &instruction);

}  // namespace bp::passes
