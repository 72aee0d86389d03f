// Rematerialization: computes cheap values again for late uses, so that they are not kept where most memory is live.
#pragma once

#include <cstdint>

#include "core/base/result.h"
#include "core/ir/module.h"

namespace bp::buffers {

// Reduces the size of the module's plan, in its present order, until the program takes at most `limit` bytes in all or
// recomputing cheap values gains no more. Cheap are broadcasts, iotas, slices, transposes, reshapes, elementwise ops,
// and fusions of these. A value is computed again only from values that are live at that time anyway, are small, or are
// cheap themselves; with at most a few instructions per value, and only in the entry computation. Returns whether the
// module changed; whether it fits is checked by assign(). Results stay bit-identical. Fails with the errors of
// assign().
Result<bool> rematerialize(ir::Module &module, std::int64_t limit);

}  // namespace bp::buffers
