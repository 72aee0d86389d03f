// The Cholesky factor, as the op and LAPACK's routine compute it.
#pragma once

#include "core/passes/array_builder.h"

namespace bp::passes {

// Returns the lower factor of one matrix or many, [..., n, n] of f32, f64, c64 or c128, n > 0, with zeros above the
// diagonal. Reads only the lower triangles. A matrix that is not positive definite gives NaNs from the column on whose
// pivot is negative.
ir::InstructionId cholesky_factor(ArrayBuilder &b, ir::InstructionId a);

}  // namespace bp::passes
