#include "core/import/onnx/onnx.h"

#include <boost/filesystem/path.hpp>

#include "core/import/onnx/lowering.h"
#include "core/import/onnx/model_reader.h"
#include "core/import/onnx/operator_table.h"

namespace bp::import::onnx {
namespace {

// Returns what was read, or its error with the name of the file.
Result<Model> located(Result<Model> model, const Options &options) {
  if (!model.ok()) {
    return std::move(model).error().at({options.file, 0, 0, {}});
  }
  return model;
}

}  // namespace

bool is_onnx(std::string_view bytes) {
  return is_model(bytes);
}

Result<ir::Module> read(std::string_view bytes, const Options &options) {
  const Storage storage{boost::filesystem::path(options.file).parent_path().string(), options.owner};
  BP_ASSIGN(const Model model, located(read_model(bytes, storage), options));
  Lowering lowering(model, options);
  Result<ir::Module> module = lowering.run();
  if (!module.ok() && lowering.has_bounded() && !options.values.empty()) {
    // A node cannot take sizes that only a run tells: they may be known from elements that are given.
    if (options.used != nullptr) {
      options.used->clear();
    }
    if (Result<ir::Module> special = Lowering(model, options).run(true); special.ok()) {
      return special;
    }
  }
  return module;
}

Result<std::vector<InputInfo>> inputs(std::string_view bytes, const Options &options) {
  BP_ASSIGN(const Model model, located(read_interface(bytes), options));
  std::vector<InputInfo> result;
  for (const ValueInfo *input : entry_inputs(model)) {
    BP_ASSIGN(Shape shape, declared_shape(*input));
    result.push_back(
        {std::string(input->name), std::move(shape), array_type(input->type).has_sizes, form_of(input->type)});
  }
  return result;
}

Result<std::vector<Output>> results(std::string_view bytes, const Options &options) {
  BP_ASSIGN(const Model model, located(read_interface(bytes), options));
  std::vector<Output> outputs;
  for (const ValueInfo &output : model.graph.outputs) {
    outputs.push_back({std::string(output.name), form_of(output.type)});
  }
  return outputs;
}

Result<StoredValue> read_value(std::string_view bytes, Form form) {
  std::optional<std::vector<Tensor>> tensors;
  if (form == Form::Array) {
    BP_ASSIGN(Tensor tensor, read_tensor(bytes));
    tensors.emplace(1, std::move(tensor));
  } else if (form == Form::Sequence) {
    BP_ASSIGN(tensors, read_sequence(bytes));
  } else {
    BP_ASSIGN(tensors, read_optional(bytes));
  }
  if (!tensors) {
    return StoredValue{absent};
  }
  StoredValue value{static_cast<std::int64_t>(tensors->size())};
  for (const Tensor &tensor : *tensors) {
    if (tensor.has_texts()) {
      return unsupported("the tensor \"{}\" has texts, expected numbers or truth values", tensor.name);
    }
    value.arrays.push_back(tensor.literal);
  }
  return value;
}

std::vector<std::string> operators() {
  std::vector<std::string> names;
  for (const Operator &row : all_operators()) {
    names.push_back(row.domain.empty() ? std::string(row.name) : fmt::format("{}.{}", row.domain, row.name));
  }
  return names;
}

}  // namespace bp::import::onnx
