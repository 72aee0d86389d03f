// The verifier: checks that a module is valid. It runs after every reader and every pass.
#pragma once

#include "core/base/result.h"
#include "core/ir/module.h"

namespace bp::ir {

// Checks for each computation: it has a root; its parameters are numbered 0 to n-1, once each; operands are defined
// before use in the same computation; calls have no cycles; the number of operands, element types and required
// attributes match the op table; the written shape matches the inferred one; signatures of called computations fit. For
// the module: entry and header (aliases, donors, layouts). Returns the first problem: "model.hlo:12:20: add.3: operand
// 1 has shape f32[4], expected f32[2,4]". Up to nine other wrong instructions that do not depend on it are reported as
// notes. Linear time.
Status verify(const Module &module);

}  // namespace bp::ir
