#include "conformance/check/onnx_case.h"

#include <fmt/format.h>

#include <boost/filesystem.hpp>

#include "core/base/files.h"
#include "core/import/onnx/onnx.h"
#include "core/ir/builder.h"
#include "core/ir/verifier.h"

namespace bp::conformance {
namespace {

namespace filesystem = boost::filesystem;

// The tolerances of ONNX's runner of its node tests.
constexpr double absolute = 1e-7, relative = 1e-3;

std::string set_name(const std::string &folder, int part) {
  return fmt::format("{}/test_data_set_{}", folder, part - 1);
}

// Reads input_0.pb, input_1.pb, ... or output_0.pb, ... of a set.
Result<std::vector<ir::Literal>> read_arrays(const std::string &set, std::string_view kind) {
  std::vector<ir::Literal> arrays;
  for (;;) {
    const std::string file = fmt::format("{}/{}_{}.pb", set, kind, arrays.size());
    if (!filesystem::exists(file)) {
      return arrays;
    }
    BP_ASSIGN(const std::string bytes, read_file(file));
    Result<ir::Literal> array = import::onnx::read_array(bytes);
    if (!array.ok()) {
      return std::move(array).error().at({file, 0, 0, {}});
    }
    arrays.push_back(std::move(*array));
  }
}

// Makes the result of the program a tuple.
Status return_tuple(ir::Module &module) {
  if (!module.entry().root().shape().is_tuple()) {
    ir::Builder builder(module, module.entry().id());
    const ir::InstructionId root = module.entry().root().id();
    builder.finish(builder.tuple(std::span(&root, 1)));
    module.unique_names();
  }
  return ir::verify(module);
}

}  // namespace

bool is_onnx_folder(const std::string &path) {
  boost::system::error_code problem;
  return filesystem::is_regular_file(path + "/model.onnx", problem) &&
         filesystem::is_directory(set_name(path, 1), problem);
}

Result<std::vector<Case>> onnx_cases(const std::string &folder) {
  std::vector<Case> cases;
  boost::system::error_code problem;
  for (int part = 1; filesystem::is_directory(set_name(folder, part), problem); ++part) {
    cases.push_back({folder, part, {}, 1, Case::Form::OnnxFolder, false});
  }
  return cases;
}

Result<SelfChecking> read_onnx_case(const Case &one) {
  const std::string file = one.file + "/model.onnx", set = set_name(one.file, one.part);
  BP_ASSIGN(const std::string bytes, read_file(file));
  SelfChecking program;
  BP_ASSIGN(program.arguments, read_arrays(set, "input"));
  BP_ASSIGN(const std::vector<ir::Literal> outputs, read_arrays(set, "output"));
  import::onnx::Options options;
  options.file = file;
  for (std::size_t i = 0; i < program.arguments.size(); ++i) {
    options.shapes.push_back(program.arguments[i].shape());
    options.values.emplace(i, program.arguments[i]);
  }
  BP_ASSIGN(program.program, import::onnx::read(bytes, options));
  BP_TRY(return_tuple(program.program));
  const ir::Computation entry = program.program.entry();
  const std::span<const ir::Shape> results = entry.root().shape().elements();
  if (entry.parameter_count() != program.arguments.size() || results.size() != outputs.size()) {
    return invalid_input("{}: {} inputs and {} outputs are stored, expected {} and {}", set, program.arguments.size(),
                         outputs.size(), entry.parameter_count(), results.size());
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (!same(results[i], outputs[i].shape(), ir::CompareLayout::No)) {
      return make_error(ErrorCode::Internal, "{}: output {} is {}, expected {}", file, i, ir::to_string(results[i]),
                        ir::to_string(outputs[i].shape()));
    }
    program.checks.push_back(
        {{RuleKind::Near, absolute, relative}, {i, {}, 0, {}}, {{}, {}, 0, outputs[i]}, false, {set, 0, 0, {}}});
  }
  return program;
}

}  // namespace bp::conformance
