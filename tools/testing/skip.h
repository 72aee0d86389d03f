// How a unit test says that it cannot run here: the test runner counts it as skipped, not as passed.
#pragma once

#include <iostream>
#include <string_view>

namespace bp::testing {

// The caller returns. On std::cout, because that is what Catch2 puts into its report.
inline void skip(std::string_view reason) {
  std::cout << "skipped: " << reason << std::endl;
}

}  // namespace bp::testing
