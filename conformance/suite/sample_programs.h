// Programs for stages that ask how a program runs, not what it computes: one for each operation, and some of several
// operations with temporaries between them.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/ir/module.h"

namespace bp::conformance {

// "add", "dot", ..., "chain", "loop", "donation": those whose parameters are arrays.
const std::vector<std::string> &sample_program_names();
// Verified.
Result<ir::Module> sample_program(const std::string &name);

}  // namespace bp::conformance
