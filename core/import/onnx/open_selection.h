// Selections by values that only a run knows: the sizes of the results have a bound.
#pragma once

#include "core/import/onnx/node.h"

namespace bp::import::onnx {

// NonZero.
Values open_non_zero(const Node &node);
// Compress along a dimension of `x`, which may be the operand as one dimension.
Values open_compress(const Node &node, const Array &x, std::int64_t axis);
// Unique along a dimension of `x`, which may be the operand as one dimension.
Values open_unique(const Node &node, const Array &x, std::int64_t axis);
// NonMaxSuppression, whose operands have been checked.
Values open_non_max_suppression(const Node &node);

}  // namespace bp::import::onnx
