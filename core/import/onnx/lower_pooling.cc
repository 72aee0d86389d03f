// Operators that reduce windows.
#include "core/import/onnx/lower.h"

namespace bp::import::onnx {}  // namespace bp::import::onnx
