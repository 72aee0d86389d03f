// Renderings of a report for people and other programs. They depend on the records alone.
#pragma once

#include <functional>
#include <string>

#include "conformance/report/record.h"

namespace bp::conformance {

// Returns a line for each stage and the unexpected results, with the commands that rerun them. `paint` colours a
// status.
std::string to_text(const Report &report, const std::function<std::string(CaseStatus)> &paint);

// Returns JUnit XML, as continuous integration systems read it: a test suite for each stage.
std::string to_junit(const Report &report);

// Returns an HTML page that needs no other files.
std::string to_html(const Report &report);

}  // namespace bp::conformance
