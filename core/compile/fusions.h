// Fusions: groups instructions that a device runs together.
#pragma once

#include "core/compile/claims.h"
#include "core/compile/session.h"

namespace bp::compile {

// An instruction that the device does not run on its own may be part of a pattern that it runs, such as a dot with bias
// and activation: the patterns are offered to the device, the longest first.
Status fuse_patterns(Session &session, ir::Module &module, Claims &claims);

// Fuses instructions as far as the device accepts. A fusion that it refuses, or that costs more than its parts, is
// taken apart, and only simple loops are made of its parts. The module is left as it was if the device refuses those
// too.
Status fuse(Session &session, ir::Module &module);

}  // namespace bp::compile
