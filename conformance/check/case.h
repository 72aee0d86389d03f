// Files of self-checking programs: HLO or StableHLO text, several programs separated by lines "// -----"; and folders
// of ONNX models with stored inputs and outputs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/ir/module.h"

namespace bp::conformance {

struct Case {
  enum class Form { Hlo, StableHlo, OnnxFolder };
  std::string file;  // the folder of an ONNX model
  int part = 1;      // number of the program within the file, or of the set of test data, from 1
  std::string text;
  std::uint32_t first_line = 1;  // line of the file where the text begins
  Form form = Form::Hlo;
  bool is_disabled = false;  // the file says RUN-DISABLED: its author does not expect it to pass
};

Result<std::vector<Case>> read_cases(const std::string &file);
// Splits the text of a file into its programs, at least one.
std::vector<Case> split_cases(std::string_view text, const std::string &file);

// Parses and verifies the program, which must be a text.
Result<ir::Module> parse(const Case &one);

}  // namespace bp::conformance
