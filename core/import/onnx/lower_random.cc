// Operators whose results are random. ONNX does not say which numbers a seed gives, so that no result could be compared
// with that of another implementation.
#include "core/import/onnx/lower.h"

namespace bp::import::onnx {

Values lower_random(const Node &node) {
  return node.unsupported("random numbers, which ONNX does not define, expected a model for inference");
}

}  // namespace bp::import::onnx
