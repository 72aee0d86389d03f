// `backplane inspect FILE.bpkg`: what a package holds.
#pragma once

#include <string>

namespace bp::command {

// Prints the index, as text or as one JSON object. The package is read and checked as a whole, but nothing of it is
// loaded. Returns an exit code.
int inspect_package(const std::string &path, bool as_json);

}  // namespace bp::command
