// Imports ONNX models (https://onnx.ai) as modules: opsets 1 to 27, without libprotobuf. Each operator is a row of
// operators.def. Sizes that the graph computes must follow from its constants and from the shapes of its inputs, or
// from elements of inputs that the caller gives.
// Accepts any bytes as input: what cannot be imported results in an error that names the message or the node.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/ir/module.h"

namespace bp::import::onnx {

// A parameter of the model, in order; unknown sizes are ir::unbounded.
struct Parameter {
  std::string name;
  ir::Shape shape;
  bool has_rank = true;  // whether the number of dimensions is known; otherwise the shape is a scalar
};

struct Options {
  std::string file;  // for messages; files of weights lie in its folder
  // Shapes of the parameters, in order; invalid ones are not given.
  std::vector<ir::Shape> shapes = {};
  // Elements of parameters, by number. Used only if sizes depend on them: then the program is for these elements.
  std::map<std::size_t, ir::Literal> values = {};
  // If set, receives the numbers of the parameters whose elements were used. Not owned.
  std::vector<std::size_t> *used = nullptr;
};

bool is_onnx(std::string_view bytes);

Result<ir::Module> read(std::string_view bytes, const Options &options = {});

// Returns the inputs of the graph that are no constants.
Result<std::vector<Parameter>> parameters(std::string_view bytes, const Options &options = {});

// Returns the names of the graph's outputs.
Result<std::vector<std::string>> results(std::string_view bytes, const Options &options = {});

// Reads an array from a TensorProto, as files of test data hold them. Unsupported for texts.
Result<ir::Literal> read_array(std::string_view bytes);

// Returns the names of the operators that are imported, with their domain if it is not that of ONNX.
std::vector<std::string> operators();

}  // namespace bp::import::onnx
