// The verifier: whether a module means something. Every reader and every pass ends here.
#pragma once

#include "core/base/result.h"
#include "core/ir/module.h"

namespace bp::ir {

// Checks, for each computation: a root, parameters numbered 0..n-1 once each, operands defined before use in the same
// computation, no cycle through calls, arity, element types and required attributes by the op table, the written shape
// against the inferred one, called computations' signatures; for the module: entry, header (aliases, donors, layouts).
// Returns the first problem: "model.hlo:12:20: add.3: operand 1 has shape f32[4], expected f32[2,4]". Notes name up to
// nine other wrong instructions that do not depend on it. Linear time.
Status verify(const Module &module);

}  // namespace bp::ir
