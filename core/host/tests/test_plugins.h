// Paths of the test plugins (plugins/meson.build).
#pragma once

#include <filesystem>
#include <string>

namespace bp::host {

inline std::string test_plugin_directory() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / "core/host/tests/plugins";
}
inline std::string test_plugin(const std::string &name) {
  return test_plugin_directory() + "/libbackplane_" + name + ".so";
}

}  // namespace bp::host
