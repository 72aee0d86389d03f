// Arrays as the C interface has them: row-major, without gaps, elements of fewer than 8 bits in a byte each.
#pragma once

#include "backplane/runtime.h"
#include "core/backplane.h"
#include "core/base/result.h"

namespace bp::c {

// The result points into the shape and to the name.
backplane_array_t describe(const Shape &shape, const char *name);

// Returns a value of this shape with its arrays copied from `inputs`, and advances `inputs`.
Result<Literal> make_literal(const Shape &shape, const void *const *&inputs);
// Copies the arrays of a value to `outputs`, and advances `outputs`.
Status copy_out(const Literal &literal, void *const *&outputs);

}  // namespace bp::c
