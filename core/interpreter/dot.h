// Dot of two values.
#pragma once

#include "core/interpreter/evaluator.h"

namespace bp::interpreter {

struct DotNumbers {
  ir::Dimensions lhs_batch, lhs_contracting, rhs_batch, rhs_contracting;

  explicit DotNumbers(const Instruction &instruction);
};

// Returns the dot; `shape` is the shape of the result.
Result<Literal> dot(const Evaluator &evaluator, const Shape &shape, const DotNumbers &numbers, Literal lhs,
                    Literal rhs);

}  // namespace bp::interpreter
