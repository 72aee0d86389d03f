// Discovery: finds the plugin file for a name, without running any plugin code.
//
// The name may be a path (it contains '/'). Otherwise directories are searched in this order, each in the order of file
// names, for files that end in ".so":
//   1. the directories of BACKPLANE_PATH, separated by ':';
//   2. <libdir>/backplane of the installation (core/host/installation.h);
//   3. if the program runs from a build directory, BUILD/plugins/*: BUILD is the nearest parent directory of the
//      executable, up to three levels, that contains build.ninja.
// If BACKPLANE_PATH is set, 2 and 3 are not searched. A process with elevated rights searches only 2, at the path fixed
// when Backplane was built: its user must not choose directories through the environment, nor through the location of
// the executable, to which links can be made from anywhere. A file answers to a name if it is called
// libbackplane_NAME.so or its manifest lists NAME as id or alias. If several can be loaded, it is the one in the first
// directory is taken; within one directory the one that requires most CPU features, so that variants of one plugin can
// be in the same directory. For every file examined, the reason why it was refused is kept.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/host/manifest.h"
#include "core/host/x_ray.h"

namespace bp::host {

// A file that was examined.
struct Candidate {
  std::string path;
  std::optional<Manifest> manifest;  // if it could be read
  std::optional<XRay> x_ray;         // if the file passed
  std::optional<Error> refusal;      // why it cannot be loaded, with the path; empty: it can be loaded

  // Whether the name is that of the file or is in its manifest.
  bool answers_to(std::string_view name) const;
};

// Whether this process has rights that its user does not have: set-user-id, set-group-id, or file capabilities.
bool is_elevated();

// Returns the directories to search (see above) that exist.
std::vector<std::string> plugin_directories(bool elevated = is_elevated());

// X-rays a file, reads its manifest, and checks ABI version and CPU features. Never fails: the reason is in the
// candidate.
Candidate examine(const std::string &path);

// Returns every shared library in the directories, in search order.
std::vector<Candidate> scan(const std::vector<std::string> &directories);

// Returns the plugin to load for a name or path. The error for a name says why each file that answers to it was refused
// or, if there is none, which names exist.
Result<Candidate> find_plugin(std::string_view name, const std::vector<std::string> &directories);

}  // namespace bp::host
