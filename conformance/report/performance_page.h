// The part of the HTML page about time: peaks, costs, the roofline, and the ops compared with it.
#pragma once

#include <string>
#include <string_view>

#include "conformance/report/performance.h"

namespace bp::conformance {

// Returns an empty text if nothing was measured.
std::string performance_section(const Performance &performance);

extern const std::string_view performance_style;

}  // namespace bp::conformance
