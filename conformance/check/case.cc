#include "conformance/check/case.h"

#include "core/base/files.h"
#include "core/import/front_ends.h"
#include "core/import/stablehlo/stablehlo.h"
#include "core/ir/verifier.h"
#include "core/text/parser.h"

namespace bp::conformance {

Result<std::vector<Case>> read_cases(const std::string &file) {
  BP_ASSIGN(const std::string text, read_file(file));
  return split_cases(text, file);
}

std::vector<Case> split_cases(std::string_view text, const std::string &file) {
  const bool is_disabled = text.find("RUN-DISABLED") != std::string::npos;
  const bool is_stablehlo = import::stablehlo::is_stablehlo(text);
  std::vector<Case> cases;
  auto add = [&](std::string_view part, std::uint32_t first_line) {
    const int number = static_cast<int>(cases.size()) + 1;
    cases.push_back({file, number, std::string(part), first_line,
                     is_stablehlo ? Case::Form::StableHlo : Case::Form::Hlo, is_disabled});
  };
  if (is_stablehlo) {
    for (const import::stablehlo::TextPart &part : import::stablehlo::split(text)) {
      add(part.text, part.first_line);
    }
  } else {
    for (const text::TextPart &part : text::split_modules(text)) {
      add(part.text, part.first_line);
    }
  }
  if (cases.empty()) {  // kept, so that it is refused like any text that is not a program
    add(text, 1);
  }
  return cases;
}

Result<ir::Module> parse(const Case &one) {
  if (one.form == Case::Form::StableHlo) {
    return import::stablehlo::read(one.text, {one.file, one.first_line, {}});
  }
  text::ParseOptions options;
  options.file = one.file;
  options.first_line = one.first_line;
  if (import::find_binary_byte(one.text)) {
    return invalid_input(
        "{}: no text, expected HLO with its expectations, or the folder of an ONNX test, in which are "
        "model.onnx and test_data_set_0",
        one.file);
  }
  BP_ASSIGN(ir::Module module, text::parse_module(one.text, options));
  BP_TRY(ir::verify(module));
  return module;
}

}  // namespace bp::conformance
