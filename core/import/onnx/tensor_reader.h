// Converts TensorProto to literals, and the numbers of element types.
#pragma once

#include <optional>

#include "core/import/onnx/model.h"
#include "core/import/protobuf/wire.h"

namespace bp::import::onnx {

// TensorProto.DataType of texts, which have no element type.
inline constexpr std::int64_t text_type = 8;

// Returns the element type with this number in TensorProto.DataType; nothing for texts and unknown numbers.
std::optional<ir::ElementType> element_type(std::int64_t data_type);

// `folder`: where the files lie that hold weights outside of the model.
Result<Tensor> read_tensor(const protobuf::Message &message, const std::string &folder);
// Reads a SparseTensorProto as the dense tensor that it stands for.
Result<Tensor> read_sparse_tensor(const protobuf::Message &message, const std::string &folder);

}  // namespace bp::import::onnx
