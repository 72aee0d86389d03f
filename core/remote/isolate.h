// Isolation: runs a plugin in a process of its own. The core sees an entry as of any library; the calls are sent to a
// worker (worker.h), which makes them. The contents of buffers are in shared memory.
//
// Memory: a device without bp.memory/1 gets one space, of shared memory, which programs then work on, unless
// Isolation::lends_memory is false: then the memory of the application is copied for each call. A device with
// memory keeps its spaces, which the host cannot address. Kernels get their operands in shared memory.
//
// If the worker ends, because it crashes or because a call takes too long, its devices are lost: the calls in progress
// and all later ones fail with BP_DEVICE_LOST (BP-STATUS-03), and accepted submits are signalled with that status. A
// device that is created after that is in a new worker. Lost devices are not made again in it: their memory is gone,
// so a program would run on other data than the caller put there, and only the caller knows how to bring it back.
//
// A worker restricts itself (core/base/restriction.h) before it loads the plugin. If the system does not enforce that,
// the first device that is initialized logs a warning, or, with Isolation::is_strict, the plugin is not loaded.
#pragma once

#include "core/host/entry.h"
#include "core/remote/isolation.h"

namespace bp::remote {

// Returns an opener that loads a plugin into a worker.
host::Opener isolated(Isolation isolation);

}  // namespace bp::remote
