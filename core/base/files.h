// Whole files in, whole files out. Errors name the file and say what the system said.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"

namespace bp {

Result<std::string> read_file(const std::string &path);
// Replaces what is there.
Status write_file(const std::string &path, std::string_view content);
// And its parents; fine if it is there.
Status make_directory(const std::string &path);

}  // namespace bp
