// Random programs that use the whole op table, for testing passes and backends: well-typed, deterministic for a seed,
// with loops that terminate. All pass the verifier.
#pragma once

#include <cstdint>

#include "core/ir/module.h"

namespace bp::debugging {

struct RandomModuleOptions {
  int instructions = 30;  // approximate number in the entry; called computations have fewer with each level
  int depth = 2;          // maximum nesting of calls, branches and loops
  std::int64_t max_elements = 256;
  bool is_plain = false;  // whether to use mostly f32, and arithmetic that most devices support
};

ir::Module random_module(std::uint64_t seed, const RandomModuleOptions &options = {});

// Returns a program of ops on arrays with dynamic dimensions whose sizes are constants, and of the same ops on static
// arrays of these sizes: a tuple of two results that must be equal.
ir::Module random_twins(std::uint64_t seed);

}  // namespace bp::debugging
