// Whole files in, whole files out. Errors name the file.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"

namespace bp::command {

Result<std::string> read_file(const std::string &path);
Status write_file(const std::string &path, std::string_view content);
Status make_directory(const std::string &path);  // and its parents; fine if it is there

}  // namespace bp::command
