#include "conformance/check/case.h"

#include "core/base/files.h"
#include "core/ir/verifier.h"
#include "core/text/parser.h"

namespace bp::conformance {

Result<std::vector<Case>> read_cases(const std::string &file) {
  BP_ASSIGN(std::string text, read_file(file));
  const bool is_disabled = text.find("RUN-DISABLED") != std::string::npos;
  std::vector<Case> cases;
  for (const text::TextPart &part : text::split_modules(text)) {
    cases.push_back({file, static_cast<int>(cases.size()) + 1, std::string(part.text), part.first_line, is_disabled});
  }
  if (cases.empty()) {  // to be refused like any program that is none
    cases.push_back({file, 1, std::move(text), 1, is_disabled});
  }
  return cases;
}

Result<ir::Module> parse(const Case &one) {
  text::ParseOptions options;
  options.file = one.file;
  options.first_line = one.first_line;
  BP_ASSIGN(ir::Module module, text::parse_module(one.text, options));
  BP_TRY(ir::verify(module));
  return module;
}

}  // namespace bp::conformance
