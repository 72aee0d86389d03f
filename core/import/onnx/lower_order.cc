// Operators that depend on the order of elements or on their running sums.
#include "core/import/onnx/lower.h"

namespace bp::import::onnx {}  // namespace bp::import::onnx
