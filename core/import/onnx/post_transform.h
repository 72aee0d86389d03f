// The functions of scores that operators of ai.onnx.ml name.
#pragma once

#include "core/import/onnx/node.h"

namespace bp::import::onnx {

// Applies the attribute post_transform to scores, whose last dimension is that of the classes or targets.
Array post_transformed(const Node &node, const Array &scores);

}  // namespace bp::import::onnx
