// Finds the directories of an installation. An installed tree may be moved as a whole, so directories are looked up
// relative to the file that contains this code: libbackplane.so, or an executable that the core is linked into.
#pragma once

#include <string>
#include <string_view>

namespace bp::host {

// Whether this process has rights that its user does not have: set-user-id, set-group-id, or file capabilities.
bool is_elevated();

// Returns the path of the file that contains this code, without symbolic links; empty if the system does not say it.
std::string own_file();

// Returns the present path of a directory of build_configuration.h: the one with the same path relative to this file as
// at installation, if it exists; otherwise the path fixed when Backplane was built.
std::string installed(std::string_view directory);

// Returns the build directory that contains this process's executable, if it was not installed; otherwise an empty
// string.
std::string build_directory();

}  // namespace bp::host
