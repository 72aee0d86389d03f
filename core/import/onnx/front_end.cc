// The descriptor, and what the caller gives of parameters, by name or number, as the importer takes it.
#include "core/import/front_end.h"

#include <algorithm>

#include "core/import/input_number.h"
#include "core/import/onnx/onnx.h"
#include "core/ir/shape.h"

namespace bp::import::onnx {
namespace {

// Returns integers as an array of a type; invalid if they do not fit the shape.
ir::Literal to_literal(const ir::Shape &shape, const std::vector<std::int64_t> &integers) {
  ir::Literal literal;
  if (!shape.is_array() || shape.element_count() != static_cast<std::int64_t>(integers.size())) {
    return literal;
  }
  literal = ir::Literal::zeros(shape).value();
  ir::visit_element_type(shape.element_type(), [&]<class T>() {
    if constexpr (std::is_integral_v<T>) {
      std::ranges::transform(integers, literal.mutable_elements<T>().begin(),
                             [](std::int64_t integer) { return static_cast<T>(integer); });
    } else {
      literal = {};
    }
  });
  return literal;
}

std::vector<std::int64_t> to_integers(const ir::Literal &literal) {
  std::vector<std::int64_t> integers;
  ir::visit_element_type(literal.shape().element_type(), [&]<class T>() {
    if constexpr (std::is_integral_v<T>) {
      std::ranges::transform(literal.elements<T>(), std::back_inserter(integers),
                             [](T element) { return static_cast<std::int64_t>(element); });
    }
  });
  return integers;
}

Result<ir::Module> read_model_for(const Source &source, const ReadOptions &options) {
  Options inner;
  inner.file = source.file;
  inner.owner = source.owner;
  inner.shapes = options.parameter_shapes;
  std::vector<InputInfo> model_inputs;
  if (!options.parameter_sizes.empty() || !options.parameter_values.empty()) {
    BP_ASSIGN(model_inputs, inputs(source.text, inner));
  }
  for (const ParameterIntegers &given : options.parameter_sizes) {
    BP_ASSIGN(const std::size_t number, input_number(model_inputs, given.parameter, source.file));
    inner.shapes.resize(std::max(inner.shapes.size(), number + 1));
    inner.shapes[number] = ir::Shape::array(model_inputs[number].shape.element_type(), given.integers);
  }
  for (const ParameterIntegers &given : options.parameter_values) {
    BP_ASSIGN(const std::size_t number, input_number(model_inputs, given.parameter, source.file));
    const bool has_shape = number < inner.shapes.size() && inner.shapes[number].is_valid();
    ir::Literal value = to_literal(has_shape ? inner.shapes[number] : model_inputs[number].shape, given.integers);
    if (value.is_valid()) {
      inner.values.emplace(number, std::move(value));
    }
  }
  std::vector<std::size_t> used;
  inner.used = &used;
  BP_ASSIGN(ir::Module module, read(source.text, inner));
  for (const std::size_t number : used) {
    if (options.size_parameters != nullptr) {
      options.size_parameters->emplace(number, to_integers(inner.values.at(number)));
    }
  }
  return module;
}

Result<std::vector<Parameter>> parameters_of_model(const Source &source) {
  BP_ASSIGN(const std::vector<InputInfo> model_inputs, inputs(source.text, {source.file}));
  std::vector<Parameter> parameters;
  for (const InputInfo &input : model_inputs) {
    parameters.push_back({input.name, input.has_rank ? input.shape : ir::Shape()});
  }
  return parameters;
}

}  // namespace

extern const FrontEnd front_end;
const FrontEnd front_end = {
    "onnx",  "an ONNX model", ".onnx",        "a protocol buffer with the fields of ModelProto, among them a graph",
    is_onnx, nullptr,         read_model_for, parameters_of_model,
    nullptr};

}  // namespace bp::import::onnx
