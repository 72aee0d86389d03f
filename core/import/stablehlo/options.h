// Options of an import of StableHLO text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/ir/shape.h"

namespace bp::import::stablehlo {

struct Options {
  std::string file;              // for messages; may be empty
  std::uint32_t first_line = 1;  // line of the file at which the text begins
  // The function that becomes the entry. Empty: main, or the only function, or the first public function without
  // parameters.
  std::string entry;
  // Shapes of the entry's parameters. They determine the sizes that the parameters' types leave open, and all sizes
  // that depend on these. Empty: no sizes are open.
  std::vector<ir::Shape> parameter_shapes = {};
};

}  // namespace bp::import::stablehlo
