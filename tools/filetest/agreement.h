// Expectations that leave room for rounding: `// test: run tolerance=1e-6` or `// test: run ulp=2`.
#pragma once

#include "core/base/result.h"
#include "core/ir/literal.h"
#include "tools/filetest/case.h"

namespace bp::filetest {

// The expectation has a line "f32[2] {1, 2}" per array of the result, of which `printed` is the text. If each array
// agrees, this returns the expectation itself, else `printed` with a line on each array that does not.
//   tolerance=X  the largest difference over the largest expected value is at most X
//   ulp=N        no element is more than N units in the last place away
Result<std::string> expectation_if_agreed(const Case &test, const ir::Literal &result, const std::string &printed);

}  // namespace bp::filetest
