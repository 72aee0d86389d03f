// Inputs made from a seed, such that comparing results on them means something. The same on every machine.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/result.h"
#include "core/ir/literal.h"
#include "core/ir/module.h"

namespace bp::interpreter {

// What the values of one array shall be like.
struct ValueRange {
  // Floats and complex parts of rank 2 and more: normal with deviation 1/sqrt(fan_in). Of rank 0 and 1: uniform in
  // [0.5, 1.5). 0: the product of all dimensions but the last.
  std::int64_t fan_in = 0;
  // Floats of any rank as those of rank 0 and 1.
  bool is_positive = false;
  // Integers: uniform in [low, high], cut to what the type holds. Pred: either, whatever this says.
  std::int64_t low = -8, high = 8;
};

// A value of any shape; all arrays in a tuple get the same range. Fails only for lack of memory.
Result<ir::Literal> random_literal(const ir::Shape &shape, std::uint64_t seed, const ValueRange &range = {});

// Arguments for the entry computation, by parameter number. How a parameter is used decides its range. The fan-in is
// four times the contracting size of a dot, or input features times window of a convolution: residual sums then do not
// make a deep network's activations grow until what comes after them saturates. What is broadcast and multiplied,
// divided by, or the operand of a root or logarithm, a variance for one, is positive. Integers that are used as indices
// or class labels lie inside the dimension they index. The module must be verified.
Result<std::vector<ir::Literal>> random_arguments(const ir::Module &module, std::uint64_t seed);

}  // namespace bp::interpreter
