// The tables of the HTML page that have a row for each operation and a column for each element type.
#pragma once

#include <string>

#include "conformance/report/summary.h"

namespace bp::conformance {

// Returns which operations pass on which types, the families one after the other; empty if no operation was tested.
std::string op_table(const OpMatrix &ops);

// Returns the largest errors found and allowed. Ops whose results are rounded come first. Ops that are exact for all
// types, on most devices the majority, can be unfolded.
std::string precision_tables(const OpMatrix &ops);

}  // namespace bp::conformance
