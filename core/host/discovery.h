// Discovery: from a name to a plugin file, without running any plugin code.
//
// The name may be a path (it contains '/'). Otherwise directories are searched in this order, each in the order of file
// names, for files that end in ".so":
//   1. the directories of BACKPLANE_PATH, separated by ':';
//   2. <libdir>/backplane of the installation (core/host/installation.h);
//   3. when the program runs from a build directory, BUILD/plugins/*: the nearest parent directory of the executable,
//      up to three levels, that holds build.ninja.
// If BACKPLANE_PATH is set, 2 and 3 are not searched. An elevated process searches 2 alone, as it was when Backplane was
// built: its user chooses neither the environment's directories nor those beside the executable, which can be linked to
// from anywhere. A file answers to a name if it is called libbackplane_NAME.so or its manifest lists NAME as id or alias.
// Of several that can be loaded, the one in the first directory wins; in one directory the one that asks for most CPU
// features, so that variants of one plugin can lie side by side.
// Every file looked at keeps the reason why it was refused.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/host/manifest.h"
#include "core/host/x_ray.h"

namespace bp::host {

// A file that was looked at.
struct Candidate {
  std::string path;
  std::optional<Manifest> manifest;  // if it could be read
  std::optional<XRay> x_ray;         // if it passed
  std::optional<Error> refusal;      // why it cannot be loaded; says the path. Empty: it can

  // By its file name or by its manifest.
  bool answers_to(std::string_view name) const;
};

// Whether this process has rights that its user has not: set-user-id, set-group-id, or capabilities of the file.
bool is_elevated();

// The directories to search; see above. Those that do not exist are left out.
std::vector<std::string> plugin_directories(bool elevated = is_elevated());

// X-rays a file, reads its manifest, and checks ABI version and CPU features. Never fails: the candidate says why not.
Candidate examine(const std::string &path);

// Every shared library in the directories, in the order of the search.
std::vector<Candidate> scan(const std::vector<std::string> &directories);

// The plugin to load for a name or path. The error for a name says why each file that answers to it was refused or, if
// there is none, what names exist.
Result<Candidate> find_plugin(std::string_view name, const std::vector<std::string> &directories);

}  // namespace bp::host
