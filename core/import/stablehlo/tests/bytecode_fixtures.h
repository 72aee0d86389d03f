// The programs in tests/bytecode, and the text of programs, for tests of bytecode.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/import/stablehlo/stablehlo.h"
#include "tools/testing/source_tree.h"

namespace bp::import::stablehlo {

inline std::filesystem::path fixtures() {
  return testing::find_in_source_tree("core/import/stablehlo/tests/bytecode");
}

// Returns the program as text, or its error.
inline std::string text_of(std::string_view program, const std::string &name = "a.mlir") {
  auto text = to_text(program, {name, 1, {}});
  return text.ok() ? *text : "error: " + text.error().to_string();
}

}  // namespace bp::import::stablehlo
