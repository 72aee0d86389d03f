// The kinds of file tests: what a test does with a program.
#pragma once

#include <span>

#include "core/backplane.h"
#include "tools/filetest/case.h"

namespace bp::filetest {

struct Kind {
  std::string_view name;
  std::string_view summary;
  // Returns the text to compare with the expectation, or an error if the test fails independently of the expectation.
  Result<std::string> (*run)(const Case &test);
};

std::span<const Kind> kinds();

// Does what the kind `run` does, on any backend. Unsupported, with the reason, if the backend does not claim the whole
// program.
Result<std::string> run_on(const Backend &backend, const Case &test);

}  // namespace bp::filetest
