// Where the parts of an installation are now. An installed tree may be moved as a whole, so a part is looked for from the
// place of the file that holds this code: libbackplane.so, or an executable that the core is linked into.
#pragma once

#include <string>
#include <string_view>

namespace bp::host {

// For a directory of build_configuration.h: the one that stands to our file as it did when Backplane was installed, if
// there is such a directory; else as it was fixed when Backplane was built.
std::string installed(std::string_view directory);

// The build folder that this process's program lies in, if it was not installed; empty otherwise.
std::string build_directory();

}  // namespace bp::host
