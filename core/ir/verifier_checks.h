// The parts of the verifier. Only verifier*.cc include this.
#pragma once

#include "core/base/result.h"
#include "core/ir/module.h"

namespace bp::ir {

// The module's header: aliases, donors and layouts of the entry computation, which must be sound already.
Status verify_header(const Module &module);

// The pairs of ops that begin and end something: the shapes passed between them, their tokens and computations.
Status verify_asynchronous(const Instruction &instruction);

// Whether a layout fits an array of this rank, tuples by their parts, and the size in bytes is a number.
Status verify_shape(const Shape &shape);

}  // namespace bp::ir
