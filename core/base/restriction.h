// Restriction: what a process gives up for good before it runs code that it does not trust, so that this code cannot
// reach other processes of the same user, or use parts of the kernel that no device driver needs.
#pragma once

#include <string>

namespace bp {

// From now on, in this process and its children:
//   - no program gets more rights than it was started with (no_new_privs);
//   - other processes cannot be traced, read, written or signalled, except that children are not protected from it;
//   - privileges of root are gone, except those over files, memory locks, priorities and limits;
//   - system calls that act on the machine as a whole, or on its security, fail with EPERM (restriction.cc lists them),
//     and so do all calls of other system call ABIs, such as x32;
//   - other processes of the user cannot trace this one, and crashes leave no core file.
// Everything else is allowed, because drivers of devices need ioctl, mmap, open, sockets and threads. Children are not
// signalled either: what they do to themselves by abort() ends them in another way.
// Call it while the process has one thread. Returns what the system does not enforce, with the reason; empty if
// everything is. Builds with sanitizers, which trace themselves, enforce nothing and return an empty text.
std::string restrict_process();

}  // namespace bp
