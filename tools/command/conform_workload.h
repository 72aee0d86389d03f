// `conform workload`: counts the operations of programs, for the reports of the suite.
#pragma once

#include <span>
#include <string>

namespace bp::command {

int count_workload(std::span<const std::string> arguments);

}  // namespace bp::command
