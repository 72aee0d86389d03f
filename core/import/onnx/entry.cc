// The inputs of the graph that become parameters, and their shapes.
#include <set>

#include "core/import/onnx/lowering.h"
#include "core/import/onnx/tensor_reader.h"

namespace bp::import::onnx {

// Returns the inputs that are no constants with a value in the model.
std::vector<const ValueInfo *> entry_inputs(const Model &model) {
  std::set<std::string_view> constants;
  for (const Tensor &tensor : model.graph.initializers) {
    constants.insert(tensor.name);
  }
  std::vector<const ValueInfo *> inputs;
  for (const ValueInfo &input : model.graph.inputs) {
    if (!constants.contains(input.name)) {
      inputs.push_back(&input);
    }
  }
  return inputs;
}

const Type &array_type(const Type &type) {
  const bool is_optional = type.kind == Type::Kind::Optional;
  const Type &inner = is_optional ? type.elements[0] : type;
  return inner.kind == Type::Kind::Sequence ? inner.elements[0] : inner;
}

Form form_of(const Type &type) {
  if (type.kind == Type::Kind::Optional) {
    return type.elements[0].kind == Type::Kind::Sequence ? Form::OptionalSequence : Form::Optional;
  }
  return type.kind == Type::Kind::Sequence ? Form::Sequence : Form::Array;
}

bool is_sequence(Form form) {
  return form == Form::Sequence || form == Form::OptionalSequence;
}

Result<Shape> declared_shape(const ValueInfo &input) {
  const Type &type = array_type(input.type);
  if (type.kind != Type::Kind::Tensor) {
    return unsupported("the input \"{}\" is no array, expected arrays or sequences of them", input.name);
  }
  const auto element = element_type(type.data_type);
  if (!element) {
    return unsupported("the input \"{}\" has elements of type {}, expected numbers or truth values", input.name,
                       type.data_type == text_type ? std::string("string") : std::to_string(type.data_type));
  }
  if (!type.has_sizes) {
    Shape shape = Shape::scalar(*element);
    return shape;
  }
  if (type.sizes.size() > ir::max_rank) {
    return invalid_input("the input \"{}\" has {} dimensions, expected at most {}", input.name, type.sizes.size(),
                         ir::max_rank);
  }
  Integers sizes;
  for (const Type::Size &size : type.sizes) {
    sizes.push_back(size.value < 0 ? ir::unbounded : size.value);
  }
  return Shape::array(*element, sizes);
}

}  // namespace bp::import::onnx
