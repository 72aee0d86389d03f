// Trust: whether users other than the owner, who were never asked, can replace the file of a plugin, which then runs
// with all rights of the process.
//
// The way to a file is a list of directories: those of its path, and of every symbolic link on it. The file is judged,
// and each of these directories:
//   - nobody but the owner and the group may write to the file;
//   - nobody but the owner and the group may write to a directory, unless it is sticky, like /tmp: there everybody can
//     create files, but replaces only their own, so that what is in it must belong to root or to the user.
// Owners and groups are not judged otherwise: an administrator gives them, and files of a container's or a team's other
// user are ordinary. In a process with elevated rights, everything must belong to root or to the user of these rights.
// A directory that holds Backplane itself is not judged either: who can rename in it can replace Backplane.
#pragma once

#include <optional>
#include <string>

#include "core/base/result.h"

namespace bp::host {

// The treatment of a plugin that others can replace.
enum class TrustPolicy {
  Refuse,
  Warn,  // it is loaded, with a warning
  Any,   // nothing is judged
};

// The default for plugins that are looked for by name: nobody has seen which file that is.
inline constexpr TrustPolicy policy_for_names = TrustPolicy::Refuse;
// The default for plugins that are given by their path.
inline constexpr TrustPolicy policy_for_paths = TrustPolicy::Warn;

// Returns BACKPLANE_TRUST, which is "refuse", "warn" or "any"; the default if it is not set. A process with elevated
// rights ignores it and refuses. InvalidInput: it has another value.
Result<TrustPolicy> trust_policy(TrustPolicy otherwise);

// Returns how others can replace the file: what was found, what was expected, and what to do; nothing if they cannot,
// or if the file does not exist.
std::optional<std::string> how_others_replace(const std::string &path);

}  // namespace bp::host
