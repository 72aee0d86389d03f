// The processors that this process may use, of all that the machine has.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace bp {

// Returns the number of processors that this process may use at the same time, at least 1: those on which its affinity
// lets it run, but no more than the quota of its control group pays for. A part of a processor counts as one. Reads a
// few files.
std::uint32_t usable_processors();

// Returns the quota, in processors, of the control groups that a process belongs to, and of those around them; infinity
// if there is none. memberships: the content of /proc/self/cgroup. folder: where control groups of both versions are
// mounted, as in /sys/fs/cgroup.
double processor_quota(std::string_view memberships, const std::string &folder);

}  // namespace bp
