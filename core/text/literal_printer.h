// Appends literals as HLO text, with the fewest digits that read back as the same value.
#pragma once

#include "core/text/printer.h"

namespace bp::text {

void append_literal(std::string &out, const ir::Literal &literal, const PrintOptions &options);

}  // namespace bp::text
