// The cases that --hardware-safe leaves out: they provoke what may stop a real board until somebody resets it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "conformance/runner/selection.h"

namespace bp::conformance {

// Returns why the case is left out; empty: it is run.
std::string_view why_left_out(std::string_view id);

// Removes these cases from the groups, and returns a record of each: not run, with the reason.
std::vector<Record> leave_out_unsafe(const Subject &subject, std::vector<Group> &groups);

// Verifies that a report leaves out exactly these cases if `hardware_safe`, otherwise none. `file`: its name, for
// messages.
Status check_left_out(const Report &report, bool hardware_safe, const std::string &file);

}  // namespace bp::conformance
