// Programs for stages that test how a program runs, not its result: one for each operation, and some of several
// operations with temporaries between them.
#pragma once

#include <cstdint>
#include <optional>
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
// Returns the program with arrays of about `size` elements; nothing if its size is fixed, or has to be smaller.
std::optional<ir::Module> sample_program_of_size(const std::string &name, std::int64_t size);
// Returns products of matrices and vectors of several types, for which devices prefer layouts, or which they rewrite;
// two of them in each module.
std::vector<ir::Module> contractions();
// Returns the next sample with parameters and results of the same shapes; nothing if there is none.
std::optional<ir::Module> successor_of_sample(const std::string &name);

// Returns the first sample that the device can run completely; Unsupported if there is none.
Result<ir::Module> first_supported_sample(Subject &subject);

}  // namespace bp::conformance
