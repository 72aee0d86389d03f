// Sizes and values that a StableHLO program leaves open, from files with its inputs.
#pragma once

#include <string>
#include <vector>

#include "core/backplane.h"

namespace bp::command {

// Adds the sizes of the inputs, and elements of integers, to `reading`, unless they are there. `inputs`: files with a
// literal of each parameter. Does nothing for other programs than one of StableHLO; what does not fit is left to the
// reader of the literals.
Status take_from_inputs(const std::string &model, const std::vector<std::string> &inputs, ReadOptions &reading);

}  // namespace bp::command
