// Converts TensorProto to literals, and the numbers of element types.
#pragma once

#include <optional>

#include "core/import/onnx/model.h"
#include "core/import/protobuf/wire.h"

namespace bp::import::onnx {

// TensorProto.DataType of texts, which have no element type.
inline constexpr std::int64_t text_type = 8;

// The name of a TensorProto, and the values of a SparseTensorProto, whose name is the tensor's.
inline constexpr protobuf::Field tensor_name{8, "name"}, sparse_values{1, "values"};

// Returns the element type with this number in TensorProto.DataType; nothing for texts and unknown numbers.
std::optional<ir::ElementType> element_type(std::int64_t data_type);

// Where the elements of tensors lie.
struct Storage {
  std::string folder = ".";           // of files with weights outside of the model
  std::shared_ptr<const void> owner;  // of the message's bytes, if tensors may keep views into them
};

Result<Tensor> read_tensor(const protobuf::Message &message, const Storage &storage);
// Reads a SparseTensorProto as the dense tensor that it stands for.
Result<Tensor> read_sparse_tensor(const protobuf::Message &message, const Storage &storage);

}  // namespace bp::import::onnx
