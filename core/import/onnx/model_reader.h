// Reads the protocol buffers of onnx.proto.
#pragma once

#include "core/base/result.h"
#include "core/import/onnx/model.h"

namespace bp::import::onnx {

// Reads a ModelProto. `folder`: where the files lie that hold weights outside of the model; nothing is read from other
// folders. Errors name the message and the byte within it.
Result<Model> read_model(std::string_view bytes, const std::string &folder);

// Reads a TensorProto, as the test data of ONNX has them.
Result<Tensor> read_tensor(std::string_view bytes);

// Whether bytes look like a ModelProto: its fields are known and it has a graph.
bool is_model(std::string_view bytes);

}  // namespace bp::import::onnx
