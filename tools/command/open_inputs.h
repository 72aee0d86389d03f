// Sizes and values that a program leaves open, from files with its inputs.
#pragma once

#include <string>

#include "core/backplane.h"
#include "tools/arrays/array_file.h"

namespace bp::command {

// Adds the sizes of the inputs, and elements of integers, to `reading`, unless they are there. Does nothing for formats
// without open sizes; an input that does not fit is left to the reader of the arguments.
Status take_from_inputs(const std::string &model, const arrays::InputFiles &inputs, ReadOptions &reading);

}  // namespace bp::command
