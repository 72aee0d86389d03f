// Files of self-checking programs: HLO or StableHLO text, several programs separated by lines "// -----".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/ir/module.h"

namespace bp::conformance {

struct Case {
  std::string file;
  int part = 1;  // number of the program within the file, from 1
  std::string text;
  std::uint32_t first_line = 1;  // line of the file where the text begins
  bool is_stablehlo = false;     // otherwise HLO
  bool is_disabled = false;      // the file says RUN-DISABLED: its author does not expect it to pass
};

Result<std::vector<Case>> read_cases(const std::string &file);
// Splits the text of a file into its programs, at least one.
std::vector<Case> split_cases(std::string_view text, const std::string &file);

// Parses and verifies the program.
Result<ir::Module> parse(const Case &one);

}  // namespace bp::conformance
