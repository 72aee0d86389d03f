// Plans for people (text) and for programs (JSON).
#pragma once

#include <boost/json.hpp>
#include <string>

#include "core/base/result.h"
#include "core/buffers/plan.h"

namespace bp::buffers {

// Per value that is made somewhere, all places where it shows, and its slice; then the allocations:
//   Buffer(neg, {}) : [(neg, {}), (tuple, {0})] output 0 at 0, 400 bytes
//   allocation 1: output 0, 400 bytes
// and the sums by kind, with the lower bound of the temporaries and what is live at their peak. Errors as assign().
Result<std::string> to_string(const Plan &plan, const ir::Module &module);

// The same facts:
// {"allocations": [{"kind", "size", "alignment", "memory_space", "index", "alias", "constant"}...],
//  "values": [{"instruction", "index", "allocation", "offset", "size", "begin", "end",
//              "positions": [[name, index]...]}...],
//  "statistics": {...}}; begin and end are ticks of the flattened schedule, both inclusive.
Result<boost::json::value> to_json(const Plan &plan, const ir::Module &module);

}  // namespace bp::buffers
