// Cases in words, for people who see an id for the first time.
#pragma once

#include <string>

#include "conformance/suite/subject.h"

namespace bp::conformance {

// Returns lines such as "every operation, ... : add on f32, 67 elements, operands: pairs of special values", and the
// rules of the headers that the case tests. The id must be one of a stage.
std::string describe_case(const Subject &subject, const std::string &id);

// Explains a closeness of the table of tolerances: "4 ulp", "sum"; empty for an empty text.
std::string explain_allowed(std::string_view allowed);

}  // namespace bp::conformance
