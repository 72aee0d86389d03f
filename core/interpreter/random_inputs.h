// Random inputs generated from a seed, for which comparing results is meaningful. The same on every machine.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/result.h"
#include "core/ir/literal.h"
#include "core/ir/module.h"

namespace bp::interpreter {

// Distribution of the values of one array.
struct ValueRange {
  // Floats and complex parts of rank 2 and more: normal with standard deviation 1/sqrt(fan_in). For rank 0 and 1:
  // uniform in [0.5, 1.5). 0 stands for the product of all dimensions but the last.
  std::int64_t fan_in = 0;
  // Whether floats of any rank are distributed as those of rank 0 and 1.
  bool is_positive = false;
  // Integers: uniform in [low, high], limited to the range of the type. Pred: either value, whatever the range.
  std::int64_t low = -8, high = 8;
};

// Returns a value of any shape; all arrays in a tuple get the same range. Fails only if there is not enough memory.
Result<ir::Literal> random_literal(const ir::Shape &shape, std::uint64_t seed, const ValueRange &range = {});

// Returns arguments for the entry computation, by parameter number. The use of a parameter determines its range. The
// fan-in is four times the contracting size of a dot, or the input features times the window size of a convolution, so
// that residual sums do not make the activations of deep networks grow until later ops saturate. Values that are
// broadcast and multiplied, that are divisors, or that are operands of a root or logarithm (such as a variance) are
// positive. Integers that are used as indices or class labels lie within the dimension that they index. The module must
// be verified.
Result<std::vector<ir::Literal>> random_arguments(const ir::Module &module, std::uint64_t seed);

}  // namespace bp::interpreter
