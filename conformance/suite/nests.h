// Control flow inside control flow: loops, branches and calls in each other, several times with other branches and
// numbers of iterations.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/ir/module.h"

namespace bp::conformance {

// Returns the names of nests: of those of the given depth, the outermost kind first, such as "three-while".
std::vector<std::string> nest_names(int depth);
// Returns the program, verified. Fails if there is no such nest.
Result<ir::Module> nest_of(std::string_view name);

}  // namespace bp::conformance
