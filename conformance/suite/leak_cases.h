// Calls that are repeated, among them those that fail: each kind is measured alone, so that a leak has a name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "conformance/report/record.h"
#include "conformance/suite/subject.h"

namespace bp::conformance {

// Returns the kinds of calls that the device has: "create", "refused_artifact", ...
std::vector<std::string> leak_cases(const Subject &subject);
// Must be called in a process of its own.
Verdict run_leak_case(Subject &subject, std::string_view name);

}  // namespace bp::conformance
