// Fusions: what a device takes together.
#pragma once

#include "core/compile/claims.h"
#include "core/compile/session.h"

namespace bp::compile {

// What the device leaves to others alone it may run as part of a pattern, such as a dot with bias and activation: it is
// offered each, the longest first.
Status fuse_patterns(Session &session, ir::Module &module, Claims &claims);

// Fuses what the device takes. A fusion that it refuses, or that costs more than its parts, is taken apart, and only
// simple loops are made of these. All stays as it was if the device refuses those, too.
Status fuse(Session &session, ir::Module &module);

}  // namespace bp::compile
