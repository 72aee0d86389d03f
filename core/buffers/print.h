// Prints plans as text for people and as JSON for programs.
#pragma once

#include <boost/json.hpp>
#include <string>

#include "core/base/result.h"
#include "core/buffers/plan.h"

namespace bp::buffers {

// Prints, per value, the positions that show it, and its slice; then the allocations:
//   Buffer(neg, {}) : [(neg, {}), (tuple, {0})] output 0 at 0, 400 bytes
//   allocation 1: output 0, 400 bytes
// and the sums by kind, with the lower bound of the temporaries and the arrays that are live at their peak. Fails with
// the errors of assign().
Result<std::string> to_string(const Plan &plan, const ir::Module &module);

// Returns the same facts as JSON:
// {"allocations": [{"kind", "size", "alignment", "memory_space", "index", "alias", "constant"}...],
//  "values": [{"instruction", "index", "allocation", "offset", "size", "begin", "end",
//              "positions": [[name, index]...]}...],
//  "statistics": {...}}; begin and end are ticks of the flattened schedule, both inclusive.
Result<boost::json::value> to_json(const Plan &plan, const ir::Module &module);

}  // namespace bp::buffers
