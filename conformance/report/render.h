// What people and other programs see of a report. All of it comes from the records alone.
#pragma once

#include <functional>
#include <string>

#include "conformance/report/record.h"

namespace bp::conformance {

// A line for each stage, and what was unexpected, with the commands that run it again. `paint` colours a status.
std::string to_text(const Report &report, const std::function<std::string(CaseStatus)> &paint);

// JUnit's XML, as continuous integration reads it: a suite for each stage.
std::string to_junit(const Report &report);

// A page that needs nothing from outside.
std::string to_html(const Report &report);

}  // namespace bp::conformance
