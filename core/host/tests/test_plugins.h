// Where the test plugins (plugins/meson.build) are, and a folder to write others to.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace bp::host {

inline std::string test_plugin_directory() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / "core/host/tests/plugins";
}
inline std::string test_plugin(const std::string &name) {
  return test_plugin_directory() + "/libbackplane_" + name + ".so";
}

inline std::string read_file(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
inline void write_file(const std::string &path, const std::string &bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

// A new folder, deleted at the end.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "backplane_test_XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  std::string operator/(const std::string &name) const { return path_ + "/" + name; }
  const std::string &path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace bp::host
