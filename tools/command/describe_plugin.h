// Detailed description of one backend.
#pragma once

#include <string>

namespace bp::command {

// Loads the backend of this name or path, without accessing hardware, and prints its properties, options, memory spaces
// and queues; as one JSON object if `as_json`. Returns the exit code.
int describe_plugin(const std::string &name, bool as_json);

}  // namespace bp::command
