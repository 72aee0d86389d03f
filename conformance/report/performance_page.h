// The part of the page that is about time: peaks, costs, the roofline, and ops beside it.
#pragma once

#include <string>
#include <string_view>

#include "conformance/report/performance.h"

namespace bp::conformance {

// Empty if nothing was measured.
std::string performance_section(const Performance &performance);

extern const std::string_view performance_style;

}  // namespace bp::conformance
