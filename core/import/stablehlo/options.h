// Options of an import of StableHLO text.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/import/front_end.h"

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
  // The same for some parameters: their sizes alone.
  std::vector<ParameterIntegers> parameter_sizes = {};
  // Elements of integer parameters, in row-major order. Used only if sizes depend on them: then the program is for
  // these elements, and ignores the argument. For a scalar they are deduced, if only one value agrees with the shapes.
  std::vector<ParameterIntegers> parameter_values = {};
  // If set, receives the numbers of the parameters on whose elements sizes depend, and these elements. Not owned.
  std::map<std::size_t, std::vector<std::int64_t>> *size_parameters = nullptr;

  bool is_specialized() const {
    return !parameter_shapes.empty() || !parameter_sizes.empty() || !parameter_values.empty();
  }
};

}  // namespace bp::import::stablehlo
