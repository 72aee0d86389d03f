// Audits, in the manner of MLPerf's: whether the device does in timed runs what it does otherwise, so that the figures
// of the stage `performance` are worth something. A device that knows a timing loop could skip work there, or return
// results that it has kept.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/report/record.h"
#include "conformance/suite/subject.h"

namespace bp::conformance {

// Returns the audits of the audited programs: "sampling/dot".
std::vector<std::string> audit_names();
// Runs one of them. Unsupported if the device does not run the program.
Result<Verdict> run_audit(Subject &subject, std::string_view audit, std::string_view program, std::uint64_t seed);

}  // namespace bp::conformance
