// `conform coverage`: which kinds of instructions the cases of a run consist of.
#pragma once

#include <span>
#include <string>

namespace bp::command {

// Returns the exit code: failed if the report cannot be read.
int show_coverage(std::span<const std::string> arguments);

}  // namespace bp::command
