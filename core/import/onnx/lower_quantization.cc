// Operators that convert between numbers and quantized integers.
#include "core/import/onnx/lower.h"

namespace bp::import::onnx {}  // namespace bp::import::onnx
