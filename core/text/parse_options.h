// Options of the parser of HLO text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/ir/literal.h"

namespace bp::text {

struct ParseOptions {
  std::string file;                              // for messages; may be empty
  std::uint32_t first_line = 1;                  // line of the file at which the text begins
  std::vector<std::string> *warnings = nullptr;  // receives "file:line:column: ..."; not owned
  std::uint64_t seed = 0;                        // for the values that fill elided literals, written {...}
  // If set, the values of the elided literals, in the order of the text (PrintOptions::elided); not owned. It is an
  // error if there are fewer, or if one has another shape.
  const std::vector<ir::Literal> *elided = nullptr;
};

}  // namespace bp::text
