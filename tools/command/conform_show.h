// `conform NAME --show CASE`: one case in full.
#pragma once

#include <string>

#include "conformance/runner/session.h"

namespace bp::command {

// Runs the case, and prints its verdict, then its program, operands and results. Returns the exit code: negative if the
// result is unexpected.
int show_case(conformance::Session session, const std::string &pattern);

}  // namespace bp::command
