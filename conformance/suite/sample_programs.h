// Programs for stages that ask how a program runs, not what it computes: one for each operation, and some of several
// operations with temporaries between them.
#pragma once

#include <string>
#include <vector>

#include "conformance/suite/subject.h"
#include "core/base/result.h"
#include "core/ir/module.h"

namespace bp::conformance {

// "add", "dot", ..., "chain", "loop", "donation": those whose parameters are arrays.
const std::vector<std::string> &sample_program_names();
// Verified.
Result<ir::Module> sample_program(const std::string &name);

// One that the device runs all of; Unsupported if it runs none.
Result<ir::Module> first_supported_sample(Subject &subject);

}  // namespace bp::conformance
