// Operators that move, repeat or select elements without computing.
#include "core/import/onnx/lower.h"

namespace bp::import::onnx {}  // namespace bp::import::onnx
