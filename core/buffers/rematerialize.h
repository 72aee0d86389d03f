// Rematerialization: computes cheap values again for late uses, so that they need not be kept where most is live.
#pragma once

#include <cstdint>

#include "core/base/result.h"
#include "core/ir/module.h"

namespace bp::buffers {

// Makes the plan of a module, in the order it has, smaller until the program takes no more than `limit` bytes in all, or
// nothing more can be done by computing again what is cheap: broadcasts, iotas, slices, transposes, reshapes,
// elementwise ops, and fusions of these. A value is computed again only from what is there at that time in any case, is
// small, or is cheap itself; at most a few instructions for one value, and only in the entry computation. Says whether
// the module changed; that it fits is for assign() to find out. Results stay the same to the last bit. Errors as
// assign().
Result<bool> rematerialize(ir::Module &module, std::int64_t limit);

}  // namespace bp::buffers
