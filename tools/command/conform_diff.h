// `conform diff`: what changed from one report of the suite to the next.
#pragma once

#include <span>
#include <string>

namespace bp::command {

// Returns the exit code: negative if a case got worse, failed if the reports cannot be read or compared.
int compare_results(std::span<const std::string> arguments);

}  // namespace bp::command
