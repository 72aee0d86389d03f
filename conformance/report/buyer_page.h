// The parts of the HTML page for somebody who wants to use a device: how much of what it claims is right, how much of
// the named workloads it runs, and why it does not run the rest.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "conformance/report/record.h"
#include "conformance/report/workload.h"

namespace bp::conformance {

// Returns both figures as tables of bars; empty if the report has no case of an operation that counts.
std::string buyer_section(const Report &report, std::span<const Workload> workloads);

// Returns a table of the reasons that cases with this status have, the most frequent first. Reasons that name the
// instruction are put together, with the operations that they are about.
std::string reasons_section(const Report &report, CaseStatus status, std::string_view title);

}  // namespace bp::conformance
