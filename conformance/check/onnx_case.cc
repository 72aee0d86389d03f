#include "conformance/check/onnx_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/filesystem.hpp>
#include <cmath>
#include <limits>

#include "core/base/files.h"
#include "core/import/onnx/onnx.h"
#include "core/ir/builder.h"
#include "core/ir/verifier.h"

namespace bp::conformance {
namespace {

namespace filesystem = boost::filesystem;

// The tolerances of ONNX's runner of its node tests. bf16 has two units in its last place there, since version 1.23.
constexpr double absolute = 1e-7;
double relative_tolerance(ir::ElementType type) {
  return type == ir::ElementType::BF16 ? std::ldexp(1, -6) : 1e-3;
}

// Returns the absolute tolerance for an output. The rounding errors of a discrete Fourier transform are relative to its
// largest element, not to the one that they are in: by ops.def, 16 units in its last place.
double absolute_tolerance(const ir::Module &program, const ir::Literal &expected) {
  const auto transforms = [](const ir::Computation &computation) {
    return std::ranges::any_of(computation.instructions(), [](const ir::Instruction &instruction) {
      return instruction.opcode() == ir::Opcode::Fft;
    });
  };
  if (expected.shape().element_type() != ir::ElementType::F32 ||
      std::ranges::none_of(program.computations(), transforms)) {
    return absolute;
  }
  double largest = 0;
  for (const float element : expected.elements<float>()) {
    largest = std::isfinite(element) ? std::max(largest, std::fabs(static_cast<double>(element))) : largest;
  }
  return std::max(absolute, largest * 16 * std::numeric_limits<float>::epsilon());
}

std::string set_name(const std::string &folder, int part) {
  return fmt::format("{}/test_data_set_{}", folder, part - 1);
}

// The inputs or outputs of a set: their elements, one after the other, and the number of those of each one.
struct StoredValues {
  std::vector<ir::Literal> arrays;
  std::vector<std::int64_t> lengths;
};

// Reads input_0.pb, input_1.pb, ... or output_0.pb, ... of a set. `form_of(i)`: the kind of the one with this number.
template <class FormOf>
Result<StoredValues> read_values(const std::string &set, std::string_view kind, FormOf &&form_of) {
  StoredValues values;
  for (;;) {
    const std::size_t number = values.lengths.size();
    const std::string file = fmt::format("{}/{}_{}.pb", set, kind, number);
    if (!filesystem::exists(file)) {
      return values;
    }
    BP_ASSIGN(const std::string bytes, read_file(file));
    Result<import::onnx::StoredValue> value = import::onnx::read_value(bytes, form_of(number));
    if (!value.ok()) {
      return std::move(value).error().at({file, 0, 0, {}});
    }
    values.lengths.push_back(value->length);
    values.arrays.insert(values.arrays.end(), value->arrays.begin(), value->arrays.end());
  }
}

// Test data of ONNX 1.12 has the bits of bf16 as u16. Returns the array in the type that the model declares.
ir::Literal in_declared_type(const ir::Literal &array, ir::ElementType declared) {
  if (declared != ir::ElementType::BF16 || array.shape().element_type() != ir::ElementType::U16) {
    return array;
  }
  ir::Shape shape = array.shape();
  shape.set_element_type(declared);
  return array.with_shape(shape);
}

// Whether the sizes of a stored input are those that the model declares, as far as it does.
bool has_declared_sizes(const ir::Shape &stored, const import::onnx::InputInfo &input) {
  bool fits = !input.has_rank || stored.rank() == input.shape.rank();
  for (std::size_t i = 0; fits && input.has_rank && i < stored.rank(); ++i) {
    fits = input.shape.size(i) == ir::unbounded || input.shape.size(i) == stored.size(i);
  }
  return fits;
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
  import::onnx::Options options;
  options.file = file;
  BP_ASSIGN(const std::vector<import::onnx::InputInfo> parameters, import::onnx::inputs(bytes, options));
  BP_ASSIGN(const std::vector<import::onnx::Output> stored, import::onnx::results(bytes, options));
  const auto form_in = [](const auto &infos) {
    return [&](std::size_t i) { return i < infos.size() ? infos[i].form : import::onnx::Form::Array; };
  };
  BP_ASSIGN(const StoredValues inputs, read_values(set, "input", form_in(parameters)));
  BP_ASSIGN(const StoredValues expected, read_values(set, "output", form_in(stored)));
  SelfChecking program;
  program.arguments = inputs.arrays;
  const bool are_arrays = program.arguments.size() == parameters.size();  // no sequences
  for (std::size_t i = 0; i < program.arguments.size(); ++i) {
    if (are_arrays) {
      program.arguments[i] = in_declared_type(program.arguments[i], parameters[i].shape.element_type());
      if (!has_declared_sizes(program.arguments[i].shape(), parameters[i])) {
        return unsupported("{}: input {} has other sizes than the model declares", set, i);
      }
    }
    options.shapes.push_back(program.arguments[i].shape());
    options.values.emplace(i, program.arguments[i]);
  }
  for (std::size_t i = 0; i < inputs.lengths.size(); ++i) {
    options.lengths.emplace(i, inputs.lengths[i]);
  }
  std::vector<std::int64_t> lengths;
  options.result_lengths = &lengths;
  BP_ASSIGN(program.program, import::onnx::read(bytes, options));
  BP_TRY(return_tuple(program.program));
  const std::span<const ir::Shape> results = program.program.entry().root().shape().elements();
  if (inputs.lengths.size() != parameters.size() || lengths != expected.lengths) {
    return invalid_input("{}: {} inputs and outputs of {} elements are stored, expected {} and {}", set,
                         inputs.lengths.size(), fmt::join(expected.lengths, ", "), parameters.size(),
                         fmt::join(lengths, ", "));
  }
  for (std::size_t i = 0; i < expected.arrays.size(); ++i) {
    const ir::Literal output = in_declared_type(expected.arrays[i], results[i].element_type());
    // Sizes that only a run tells are compared when it has.
    ir::Shape bounds = output.shape();
    for (std::size_t d = 0; d < bounds.rank() && results[i].rank() == bounds.rank(); ++d) {
      if (results[i].is_dynamic(d) && bounds.size(d) <= results[i].size(d)) {
        bounds.set_size(d, results[i].size(d));
        bounds.set_dynamic(d, true);
      }
    }
    if (!same(results[i], bounds, ir::CompareLayout::No)) {
      return make_error(ErrorCode::Internal, "{}: output {} is {}, expected {}", file, i, ir::to_string(results[i]),
                        ir::to_string(output.shape()));
    }
    program.checks.push_back({{RuleKind::Near, absolute_tolerance(program.program, output),
                               relative_tolerance(output.shape().element_type())},
                              {i, {}, 0, {}},
                              {{}, {}, 0, output},
                              false,
                              {set, 0, 0, {}}});
  }
  return program;
}

}  // namespace bp::conformance
