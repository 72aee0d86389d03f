// Runs programs on buffers.
#pragma once

#include "core/pjrt/executable.h"

namespace bp::pjrt {

// Returns as soon as the run is announced, or, if its arguments are there and it is short, when it has ended. What it
// fails with is the error of its results and of its event. The event comes after those of the device's earlier runs,
// unless a function that one of them calls started this run. Donated arguments are deleted, also if it fails.
BP_PJRT_DECLARE(LoadedExecutable_Execute);

}  // namespace bp::pjrt
