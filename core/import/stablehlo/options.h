// Options of an import of StableHLO text.
#pragma once

#include <cstdint>
#include <string>

#include "core/import/front_end.h"

namespace bp::import::stablehlo {

struct Options {
  std::string file;              // for messages; may be empty
  std::uint32_t first_line = 1;  // line of the file at which the text begins
  // The function that becomes the entry. Empty: main, or the only function, or the first public function without
  // parameters.
  std::string entry;
  ReadOptions reading = {};  // the parameters are those of the entry; no warnings are given
};

}  // namespace bp::import::stablehlo
