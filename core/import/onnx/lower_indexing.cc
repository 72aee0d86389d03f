// Operators that read or write elements at indices that are computed.
#include "core/import/onnx/lower.h"

namespace bp::import::onnx {}  // namespace bp::import::onnx
