// Programs for stages that test how a program runs, not its result: one for each operation, and some of several
// operations with temporaries between them.
#pragma once

#include <string>
#include <vector>

#include "conformance/suite/subject.h"
#include "core/base/result.h"
#include "core/ir/module.h"

namespace bp::conformance {

// Returns the names of the programs whose parameters are arrays: "add", "dot", ..., "chain", "loop", "donation".
const std::vector<std::string> &sample_program_names();
// Returns the names of programs whose runs take a while, and need scratch memory on most devices. They are not among
// those above.
const std::vector<std::string> &large_sample_names();
// Returns the program of any of these names, verified.
Result<ir::Module> sample_program(const std::string &name);

// Returns the first sample that the device can run completely; Unsupported if there is none.
Result<ir::Module> first_supported_sample(Subject &subject);

}  // namespace bp::conformance
