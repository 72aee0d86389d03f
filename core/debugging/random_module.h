// Random programs over the whole op table, for testing passes and backends: well-typed, deterministic by seed, with
// loops that end. All pass the verifier.
#pragma once

#include <cstdint>

#include "core/ir/module.h"

namespace bp::debugging {

struct RandomModuleOptions {
  int instructions = 30;  // about so many in the entry; called computations have fewer and fewer
  int depth = 2;          // how deep calls, branches and loops nest, at most
  std::int64_t max_elements = 256;
  bool is_plain = false;  // mostly f32, and arithmetic that most devices have
};

ir::Module random_module(std::uint64_t seed, const RandomModuleOptions &options = {});

// A program of ops on arrays with dynamic dimensions whose sizes are constants, and of the same ops on static arrays of
// these sizes: a tuple of two results that must be equal.
ir::Module random_twins(std::uint64_t seed);

}  // namespace bp::debugging
