// Comparison of instructions by the operation that they do on their operands.
#pragma once

#include "core/ir/module.h"

namespace bp::passes {

// Whether opcode, shape, attributes that are part of the value, called computations and literal are equal. Operands are
// not compared.
bool is_same_operation(const ir::Instruction &a, const ir::Instruction &b);
// Returns a hash that is equal for equal operations.
std::size_t hash_of_operation(const ir::Instruction &instruction);

}  // namespace bp::passes
