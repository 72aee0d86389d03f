// Reads the protocol buffers of onnx.proto.
#pragma once

#include <optional>

#include "core/base/result.h"
#include "core/import/onnx/model.h"

namespace bp::import::onnx {

// Reads a ModelProto. `folder`: where the files lie that hold weights outside of the model; nothing is read from other
// folders. Errors name the message and the byte within it.
Result<Model> read_model(std::string_view bytes, const std::string &folder);

// Reads a TensorProto, as the test data of ONNX has them.
Result<Tensor> read_tensor(std::string_view bytes);

// Reads a SequenceProto of tensors.
Result<std::vector<Tensor>> read_sequence(std::string_view bytes);

// Reads an OptionalProto of a tensor, or of a sequence of tensors; nothing if it has no value.
Result<std::optional<std::vector<Tensor>>> read_optional(std::string_view bytes);

// Whether bytes look like a ModelProto: its fields are known and it has a graph.
bool is_model(std::string_view bytes);

}  // namespace bp::import::onnx
