// Checks that the steps of an executable that was read from a package can run one after another.
#pragma once

#include <span>

#include "core/base/result.h"
#include "core/ir/module.h"
#include "core/package/index.h"
#include "core/runtime/executable.h"

namespace bp::package {

// Returns InvalidInput, naming the instruction, unless each step uses only values that are there, all shapes agree, and
// the root is computed.
Status check_steps(const ir::Module &module, std::span<const runtime::Step> steps);

// Returns InvalidInput, naming the computation, unless the executable takes and returns what the computation does.
Status check_called(ir::Computation computation, const runtime::Executable &executable);

// Returns InvalidInput unless the arrays of the interface are those of the module, in the same order.
Status check_interface(const ir::Module &module, const Interface &interface);

// Returns InvalidInput unless a program takes and returns what the computation does.
Status check_program(ir::Computation computation, const runtime::Signature &signature);

}  // namespace bp::package
