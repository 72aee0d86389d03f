// Expectations that allow for rounding: `// test: run tolerance=1e-6` or `// test: run ulp=2`.
#pragma once

#include "core/base/result.h"
#include "core/ir/literal.h"
#include "tools/filetest/case.h"

namespace bp::filetest {

// The expectation has a line "f32[2] {1, 2}" for each array of the result; `printed` is the text of the result. Returns
// the expectation itself if every array agrees, otherwise `printed` with a line about each array that does not.
//   tolerance=X  the largest difference divided by the largest expected absolute value is at most X
//   ulp=N        no element is more than N units in the last place away
Result<std::string> expectation_if_agreed(const Case &test, const ir::Literal &result, const std::string &printed);

}  // namespace bp::filetest
