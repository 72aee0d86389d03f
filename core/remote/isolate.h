// Isolation: a plugin in a process of its own. The core sees an entry as of any library; the calls are carried to a worker
// (worker.h), which makes them. Content of buffers is in shared memory.
//
// Memory: a device without bp.memory/1 gets one space, of shared memory, which programs then work on. One that has memory
// keeps its spaces, which the host cannot address. Kernels get their operands in shared memory.
//
// The end of the worker, by a crash or because a call takes too long, fails the calls that were going on with
// BP_DEVICE_LOST; what was submitted is signalled with that. The next call starts a new worker, in which devices and
// programs are made again as they are needed, with their memory: shared memory and constants with their content.
#pragma once

#include "core/host/entry.h"
#include "core/remote/worker.h"

namespace bp::remote {

host::Opener isolated(Isolation isolation);

}  // namespace bp::remote
