// The functions `run` and `program` of stages whose cases are programs of several instructions with a `trial`.
#pragma once

#include <string>

#include "conformance/suite/stage.h"

namespace bp::conformance {

Verdict run_trial(Subject &subject, const std::string &id);
Result<CaseProgram> program_of_trial(Subject &subject, const std::string &id);

}  // namespace bp::conformance
