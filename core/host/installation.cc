#include "core/host/installation.h"

#include <dlfcn.h>
#include <link.h>

#include <filesystem>

#include "core/host/build_configuration.h"

namespace bp::host {
namespace {

namespace filesystem = std::filesystem;

// The directory of the file that contains this code, now and when Backplane was installed.
struct Directories {
  filesystem::path now, then;
};

Directories own_directories() {
  std::error_code error;
  Dl_info symbol;
  link_map *map = nullptr;
  void *here = reinterpret_cast<void *>(&own_directories);
  if (dladdr1(here, &symbol, reinterpret_cast<void **>(&map), RTLD_DL_LINKMAP) != 0 && map->l_name[0] != '\0') {
    return {filesystem::canonical(map->l_name, error).parent_path(), library_directory};
  }
  return {filesystem::read_symlink("/proc/self/exe", error).parent_path(), binary_directory};
}

}  // namespace

std::string installed(std::string_view directory) {
  const Directories own = own_directories();
  std::error_code error;
  const filesystem::path moved =
      (own.now / filesystem::path(directory).lexically_relative(own.then)).lexically_normal();
  return !own.now.empty() && filesystem::is_directory(moved, error) ? moved.string() : std::string(directory);
}

std::string build_directory() {
  std::error_code error;
  filesystem::path directory = filesystem::read_symlink("/proc/self/exe", error).parent_path();
  for (int level = 0; level <= 3 && directory.has_relative_path(); ++level, directory = directory.parent_path()) {
    if (filesystem::exists(directory / "build.ninja", error)) {
      return directory.string();
    }
  }
  return {};
}

}  // namespace bp::host
