// Imports ONNX models (https://onnx.ai) as modules: opsets 1 to 28, without libprotobuf. Each operator is a row of
// operators.def. Sizes that the graph computes must follow from its constants and from the shapes of its inputs, or
// from elements of inputs that the caller gives.
// Accepts any bytes as input: what cannot be imported results in an error that names the message or the node.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/import/onnx/options.h"
#include "core/ir/module.h"

namespace bp::import::onnx {

// An input of the model that is no constant; unknown sizes are ir::unbounded.
struct InputInfo {
  std::string name;
  ir::Shape shape;       // of a sequence: of each element
  bool has_rank = true;  // whether the number of dimensions is known; otherwise the shape is a scalar
  Form form = Form::Array;
};

struct Output {
  std::string name;
  Form form = Form::Array;
};

// An input or output with its elements, as files of test data hold it.
struct StoredValue {
  std::int64_t length = 1;  // the number of arrays, or `absent`
  std::vector<ir::Literal> arrays = {};
};

bool is_onnx(std::string_view bytes);

Result<ir::Module> read(std::string_view bytes, const Options &options = {});

// Returns the inputs of the graph that are no constants, which are the parameters of the module.
Result<std::vector<InputInfo>> inputs(std::string_view bytes, const Options &options = {});

// Returns the graph's outputs.
Result<std::vector<Output>> results(std::string_view bytes, const Options &options = {});

// Reads a TensorProto, SequenceProto or OptionalProto, as files of test data hold them. Unsupported for texts.
Result<StoredValue> read_value(std::string_view bytes, Form form);

// Returns the names of the operators that are imported, with their domain if it is not that of ONNX.
std::vector<std::string> operators();

}  // namespace bp::import::onnx
