// Random programs for property tests: loops, branches, calls, tuples, in-place ops, donated parameters. The same seed
// gives the same program; all pass the verifier.
#pragma once

#include <cstdint>

#include "core/ir/module.h"

namespace bp::buffers::testing {

// depth: maximum nesting of control flow.
ir::Module random_program(std::uint64_t seed, int depth = 2);

}  // namespace bp::buffers::testing
