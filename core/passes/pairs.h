// Elements that are two of a narrower type, one after the other in memory: real and imaginary parts, halves of integers.
#pragma once

#include "core/passes/array_builder.h"

namespace bp::passes {

struct Pair {
  ir::InstructionId first, second;
};

// The bytes of an array of pairs, taken apart into two arrays of its sizes.
Pair split_pairs(ArrayBuilder &b, ir::InstructionId x, ir::ElementType part);
// The bytes of both, as an array of this shape.
ir::InstructionId join_pairs(ArrayBuilder &b, Pair pair, const ir::Shape &shape);

}  // namespace bp::passes
