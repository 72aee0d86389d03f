// What a file test can do with a program.
#pragma once

#include <span>

#include "core/base/result.h"
#include "tools/filetest/case.h"

namespace bp::filetest {

struct Kind {
  std::string_view name;
  std::string_view summary;
  // The text to compare with the expectation, or why the test fails whatever the expectation.
  Result<std::string> (*run)(const Case &test);
};

std::span<const Kind> kinds();

}  // namespace bp::filetest
