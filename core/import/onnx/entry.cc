// The entry of the module: the inputs of the graph that become parameters, and its outputs, which become the result.
#include <algorithm>
#include <set>

#include "core/import/onnx/lowering.h"
#include "core/import/onnx/tensor_reader.h"

namespace bp::import::onnx {

using ir::InstructionId;

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

Result<Shape> Lowering::parameter_shape(const ValueInfo &input, std::size_t number) {
  BP_ASSIGN(Shape shape, declared_shape(input));
  const Type &type = array_type(input.type);
  if (number < options_.shapes.size() && options_.shapes[number].is_valid()) {
    const Shape &given = options_.shapes[number];
    bool fits = given.is_array() && given.element_type() == shape.element_type() &&
                (!type.has_sizes || given.rank() == shape.rank());
    for (std::size_t i = 0; fits && type.has_sizes && i < given.rank(); ++i) {
      fits = shape.size(i) == ir::unbounded || shape.size(i) == given.size(i);
      if (!type.sizes[i].parameter.empty() && !is_sequence(form_of(input.type))) {
        const auto [known, is_new] = named_sizes_.emplace(type.sizes[i].parameter, given.size(i));
        if (!is_new && known->second != given.size(i)) {
          return invalid_input("the size \"{}\" of \"{}\" is {}, but {} in another input", known->first, input.name,
                               given.size(i), known->second);
        }
      }
    }
    if (!fits) {
      return invalid_input(
          "the shape {} was given for the input \"{}\", expected {}", ir::to_string(given), input.name,
          type.has_sizes ? ir::to_string(shape) : fmt::format("{} of any sizes", ir::to_string(shape.element_type())));
    }
    return given;
  }
  for (std::size_t i = 0; i < type.sizes.size(); ++i) {
    if (shape.size(i) != ir::unbounded) {
      continue;
    }
    const auto known = named_sizes_.find(type.sizes[i].parameter);
    if (known == named_sizes_.end()) {
      return unsupported(
          "the size of dimension {} of the input \"{}\" is open{}, expected the shape of this input (--shape)", i,
          input.name, type.sizes[i].parameter.empty() ? "" : fmt::format(" (\"{}\")", type.sizes[i].parameter));
    }
    shape.set_size(i, known->second);
  }
  if (!type.has_sizes) {
    return unsupported("the sizes of the input \"{}\" are open, expected the shape of this input (--shape)",
                       input.name);
  }
  return shape;
}

Result<std::int64_t> Lowering::length_of_input(const ValueInfo &input, std::size_t number) const {
  const auto given = options_.lengths.find(number);
  const Form form = form_of(input.type);
  if (given == options_.lengths.end()) {
    if (is_sequence(form)) {
      return unsupported("the input \"{}\" is a sequence, expected the number of its elements", input.name);
    }
    return 1;
  }
  const std::int64_t length = given->second;
  const bool fits = form == Form::Array      ? length == 1
                    : form == Form::Sequence ? length >= 0
                    : form == Form::Optional ? length == 1 || length == absent
                                             : length >= absent;
  if (!fits) {
    return invalid_input("{} elements were given for the input \"{}\"", length, input.name);
  }
  return length;
}

Result<std::vector<InstructionId>> Lowering::define_inputs(GraphBuilder &builder, Scope &scope) {
  const std::vector<const ValueInfo *> inputs = entry_inputs(model_);
  std::vector<std::int64_t> lengths;
  std::vector<const ValueInfo *> owners;  // of the parameters
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    BP_ASSIGN(const std::int64_t length, length_of_input(*inputs[i], i));
    lengths.push_back(length);
    owners.insert(owners.end(), static_cast<std::size_t>(std::max<std::int64_t>(length, 0)), inputs[i]);
  }
  // The first pass finds the sizes that have names, which an earlier input may share with a later one.
  for (std::size_t i = 0; i < owners.size(); ++i) {
    const auto shape = parameter_shape(*owners[i], i);
    if (!shape.ok() && shape.error().code() != ErrorCode::Unsupported) {
      return shape.error();
    }
  }
  std::vector<InstructionId> ids;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    Values elements;
    for (std::int64_t k = 0; k < lengths[i]; ++k) {
      BP_ASSIGN(const Shape shape, parameter_shape(*inputs[i], ids.size()));
      const Array parameter = builder.parameter(shape, "");
      builder.module().set_name(parameter.id(), clean_name(inputs[i]->name, "input"));
      const auto given = options_.values.find(ids.size());
      if (given != options_.values.end() && ir::same(given->second.shape(), shape, ir::CompareLayout::No)) {
        state_.given.emplace(parameter.id(), given->second);
      }
      ids.push_back(parameter.id());
      elements.push_back(parameter);
    }
    const bool has_elements = is_sequence(form_of(inputs[i]->type));
    define(builder, scope, inputs[i]->name,
           lengths[i] == absent ? Value()
           : has_elements       ? Value::sequence(std::move(elements))
                                : elements[0]);
  }
  return ids;
}

Result<Arrays> Lowering::results(const Values &outputs) const {
  Arrays results;
  std::vector<std::int64_t> lengths;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    bool are_arrays = !outputs[i].has_texts();
    const std::size_t begin = results.size();
    for (const Value &element : outputs[i].is_sequence() ? outputs[i].elements() : Values{outputs[i]}) {
      if (element.is_array()) {
        results.push_back(element.array());
      } else if (outputs[i].is_present()) {
        are_arrays = false;
      }
    }
    if (!are_arrays) {
      return unsupported("the output \"{}\" has texts, expected arrays or sequences of them",
                         model_.graph.outputs[i].name);
    }
    lengths.push_back(outputs[i].is_present() ? static_cast<std::int64_t>(results.size() - begin) : absent);
  }
  if (options_.result_lengths != nullptr) {
    *options_.result_lengths = std::move(lengths);
  }
  return results;
}

// By their names the results are found. An output that is another value too is a copy of it.
void Lowering::name_results(GraphBuilder &builder, const Values &outputs, Arrays &arrays) const {
  std::set<InstructionId> named;
  std::size_t next = 0;
  for (std::size_t i = 0; i < outputs.size() && !builder.has_failed(); ++i) {
    if (outputs[i].is_sequence()) {
      next += outputs[i].elements().size();
    } else if (outputs[i].is_array()) {
      Array &result = arrays[next++];
      const std::string name = clean_name(model_.graph.outputs[i].name, "output");
      const ir::Instruction instruction = builder.module().instruction(result.id());
      const bool is_taken = instruction.opcode() == Opcode::Parameter || named.contains(result.id());
      if (is_taken && instruction.name() != name) {
        result = builder.add(Opcode::Copy, {result});
      }
      if (named.insert(result.id()).second) {
        builder.module().set_name(result.id(), name);
      }
    }
  }
}

Status Lowering::lower_entry(GraphBuilder &builder, Scope &scope) {
  BP_ASSIGN(const std::vector<InstructionId> ids, define_inputs(builder, scope));
  const Values outputs = graph(builder, scope, model_.graph, {});
  if (!state_.error) {
    BP_ASSIGN(Arrays arrays, results(outputs));
    builder.set_origin("", "");
    name_results(builder, outputs, arrays);
    const Array root = arrays.size() == 1 ? arrays[0] : builder.tuple(arrays);
    if (!state_.error) {
      builder.module().set_root(builder.computation(), root.id());
      builder.module().set_entry(builder.computation());
    }
  }
  if (options_.used != nullptr) {
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (state_.used.contains(ids[i])) {
        options_.used->push_back(i);
      }
    }
  }
  return {};
}

}  // namespace bp::import::onnx
