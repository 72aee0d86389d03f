// Paths of files of this repository: in the nearest folder, from the working directory upwards, that has them.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>

namespace bp::testing {

// Returns the path of a file given relative to the repository's root; empty if neither the working directory nor a
// folder above has it.
inline std::filesystem::path find_in_source_tree(const std::filesystem::path &relative) {
  std::error_code ignored;
  for (auto folder = std::filesystem::current_path();; folder = folder.parent_path()) {
    if (std::filesystem::exists(folder / relative, ignored)) {
      return folder / relative;
    }
    if (folder == folder.root_path()) {
      return {};
    }
  }
}

// Returns a folder or file of the shared material (corpora), which lies in the folder BACKPLANE_SHARED, or in ../shared
// next to the repository. Empty if it does not exist: tests that need it are skipped with a message.
inline std::filesystem::path find_shared(const std::filesystem::path &relative) {
  std::error_code ignored;
  const char *named = std::getenv("BACKPLANE_SHARED");
  std::filesystem::path folder = named != nullptr
                                     ? std::filesystem::path(named)
                                     : find_in_source_tree("meson_options.txt").parent_path().parent_path() / "shared";
  return std::filesystem::exists(folder / relative, ignored) ? folder / relative : std::filesystem::path();
}

inline std::string read_file(const std::filesystem::path &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace bp::testing
