// One backend in detail.
#pragma once

#include <string>

namespace bp::command {

// Loads the backend of this name or path, without touching hardware, and prints what it is, its options, memory spaces
// and queues; as one JSON object if asked. Returns the exit code.
int describe_plugin(const std::string &name, bool as_json);

}  // namespace bp::command
