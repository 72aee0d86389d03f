// Reads the protocol buffers of onnx.proto.
#pragma once

#include <optional>

#include "core/base/result.h"
#include "core/import/onnx/tensor_reader.h"

namespace bp::import::onnx {

// Reads a ModelProto. Nothing is read from files outside of the folder that `storage` names. Errors name the message
// and the offset in `bytes`.
Result<Model> read_model(std::string_view bytes, const Storage &storage);

// Reads only the inputs and outputs of a ModelProto, and the names of its initializers, which have no elements.
Result<Model> read_interface(std::string_view bytes);

// Reads a TensorProto, as the test data of ONNX has them.
Result<Tensor> read_tensor(std::string_view bytes);

// Reads a SequenceProto of tensors.
Result<std::vector<Tensor>> read_sequence(std::string_view bytes);

// Reads an OptionalProto of a tensor, or of a sequence of tensors; nothing if it has no value.
Result<std::optional<std::vector<Tensor>>> read_optional(std::string_view bytes);

// Whether bytes look like a ModelProto: its fields are known and it has a graph.
bool is_model(std::string_view bytes);

}  // namespace bp::import::onnx
