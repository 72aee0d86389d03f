#include "core/host/installation.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/auxv.h>

#include <filesystem>

#include "core/host/build_configuration.h"

namespace bp::host {
namespace {

namespace filesystem = std::filesystem;

// The directory of the file that contains this code, now and when Backplane was installed.
struct Directories {
  filesystem::path now, then;
};

// The file that contains this code.
struct OwnFile {
  filesystem::path path;
  bool is_library;
};

OwnFile find_own_file() {
  std::error_code error;
  Dl_info symbol;
  link_map *map = nullptr;
  void *here = reinterpret_cast<void *>(&find_own_file);
  if (dladdr1(here, &symbol, reinterpret_cast<void **>(&map), RTLD_DL_LINKMAP) != 0 && map->l_name[0] != '\0') {
    return {filesystem::canonical(map->l_name, error), true};
  }
  return {filesystem::read_symlink("/proc/self/exe", error), false};
}

Directories own_directories() {
  const OwnFile own = find_own_file();
  return {own.path.parent_path(), own.is_library ? library_directory : binary_directory};
}

}  // namespace

bool is_elevated() {
  return getauxval(AT_SECURE) != 0;
}

std::string own_file() {
  return find_own_file().path.native();
}

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
