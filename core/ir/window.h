// Arithmetic of windows that slide along one dimension.
#pragma once

#include "core/ir/module.h"

namespace bp::ir {

// Returns a window that covers the same elements in the same order, without the window positions that never cover an
// element, and with a stride that is no longer than needed to skip all elements. `elements`, `outputs`: sizes of the
// dimension before and after. The window must have been accepted by the verifier.
WindowDimension clipped(const WindowDimension &window, std::int64_t elements, std::int64_t outputs);

}  // namespace bp::ir
