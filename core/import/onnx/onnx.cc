#include "core/import/onnx/onnx.h"

#include <boost/filesystem/path.hpp>

#include "core/import/onnx/lowering.h"
#include "core/import/onnx/model_reader.h"
#include "core/import/onnx/operator_table.h"

namespace bp::import::onnx {
namespace {

Result<Model> read_model_of(std::string_view bytes, const Options &options) {
  Result<Model> model = read_model(bytes, boost::filesystem::path(options.file).parent_path().string());
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
  BP_ASSIGN(const Model model, read_model_of(bytes, options));
  return Lowering(model, options).run();
}

Result<std::vector<InputInfo>> inputs(std::string_view bytes, const Options &options) {
  BP_ASSIGN(const Model model, read_model_of(bytes, options));
  std::vector<InputInfo> result;
  for (const ValueInfo *input : entry_inputs(model)) {
    BP_ASSIGN(Shape shape, declared_shape(*input));
    const Type &type = input->type.kind == Type::Kind::Optional ? input->type.elements[0] : input->type;
    result.push_back({std::string(input->name), std::move(shape), type.has_sizes});
  }
  return result;
}

Result<std::vector<std::string>> results(std::string_view bytes, const Options &options) {
  BP_ASSIGN(const Model model, read_model_of(bytes, options));
  std::vector<std::string> names;
  for (const ValueInfo &output : model.graph.outputs) {
    names.emplace_back(output.name);
  }
  return names;
}

Result<ir::Literal> read_array(std::string_view bytes) {
  BP_ASSIGN(const Tensor tensor, read_tensor(bytes));
  if (tensor.has_texts()) {
    return unsupported("the tensor \"{}\" has texts, expected numbers or truth values", tensor.name);
  }
  return tensor.literal;
}

std::vector<std::string> operators() {
  std::vector<std::string> names;
  for (const Operator &row : all_operators()) {
    names.push_back(row.domain.empty() ? std::string(row.name) : fmt::format("{}.{}", row.domain, row.name));
  }
  return names;
}

}  // namespace bp::import::onnx
