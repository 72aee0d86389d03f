// Elements that consist of two elements of a narrower type, consecutive in memory: real and imaginary parts, or the
// halves of integers.
#pragma once

#include "core/passes/array_builder.h"

namespace bp::passes {

struct Pair {
  ir::InstructionId first, second;
};

// Whether each array of the instruction can have one more dimension, for the two elements of a pair. Otherwise the
// instruction is left to the host.
bool has_room_for_pairs(const ir::Instruction &instruction);

// Splits an array of pairs into two arrays of the same sizes.
Pair split_pairs(ArrayBuilder &b, ir::InstructionId x, ir::ElementType part);
// Joins two arrays to an array of pairs, of this shape.
ir::InstructionId join_pairs(ArrayBuilder &b, Pair pair, const ir::Shape &shape);

}  // namespace bp::passes
