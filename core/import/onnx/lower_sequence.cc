// Operators that deal with sequences and optional values, which exist only while a graph is imported.
#include "core/import/onnx/lower.h"

namespace bp::import::onnx {}  // namespace bp::import::onnx
