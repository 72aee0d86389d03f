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
// libbackplane_NAME.so or its manifest lists NAME as id or alias. If several can be loaded, names.h says which is
// taken. A file that others can replace is refused, or loaded with a warning (trust.h). For every file examined, the
// reason why it was refused is kept.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/host/candidate.h"
#include "core/host/installation.h"
#include "core/host/trust.h"

namespace bp::host {

// Returns the directories to search (see above) that exist.
std::vector<std::string> plugin_directories(bool elevated = is_elevated());

// X-rays a file, reads its manifest, and checks ABI version, CPU features, and whether others can replace it. Never
// fails: the reason is in the candidate. `otherwise`: the policy if BACKPLANE_TRUST is not set.
Candidate examine(const std::string &path, TrustPolicy otherwise = policy_for_paths);

// Returns every shared library in the directories, in search order.
std::vector<Candidate> scan(const std::vector<std::string> &directories, TrustPolicy otherwise = policy_for_names);

// Returns the plugin to load for a name or path, with the warnings that the user has to see. The error for a name says
// why each file that answers to it was refused or, if there is none, which names exist. `otherwise`: the policy if
// BACKPLANE_TRUST is not set; nullopt: the one for names or for paths.
Result<Candidate> find_plugin(std::string_view name, const std::vector<std::string> &directories,
                              std::optional<TrustPolicy> otherwise = {});

}  // namespace bp::host
