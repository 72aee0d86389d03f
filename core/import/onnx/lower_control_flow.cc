// Operators that run graphs.
#include "core/import/onnx/lower.h"
#include "core/import/onnx/lowering.h"

namespace bp::import::onnx {}  // namespace bp::import::onnx
