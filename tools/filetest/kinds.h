// What a file test can do with a program.
#pragma once

#include <span>

#include "core/backplane.h"
#include "tools/filetest/case.h"

namespace bp::filetest {

struct Kind {
  std::string_view name;
  std::string_view summary;
  // The text to compare with the expectation, or why the test fails whatever the expectation.
  Result<std::string> (*run)(const Case &test);
};

std::span<const Kind> kinds();

// What the kind `run` does, on any backend. Unsupported, with the reason, if the backend does not claim all of it.
Result<std::string> run_on(const Backend &backend, const Case &test);

}  // namespace bp::filetest
