// Writes a program as StableHLO text: functions in their pretty form, operations in the generic form, which StableHLO's
// own tools read. Equal programs have equal texts, from whichever form they were read: attributes with the value that
// stands for absence are omitted, the others are in alphabetical order, and values are numbered.
#pragma once

#include "core/import/stablehlo/syntax.h"

namespace bp::import::stablehlo {

// Locations are not written. Fails if an attribute has a form that StableHLO does not have.
Result<std::string> print(const Program &program);

}  // namespace bp::import::stablehlo
