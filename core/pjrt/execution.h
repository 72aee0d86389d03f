// Runs programs on buffers.
#pragma once

#include "core/pjrt/executable.h"

namespace bp::pjrt {

// Returns as soon as the run is announced; what it fails with is the error of its results and of its event. But if its
// arguments are there and it is short, returns when it has ended, or fails with what it fails with. Donated arguments
// are deleted, also if it fails.
BP_PJRT_DECLARE(LoadedExecutable_Execute);

}  // namespace bp::pjrt
