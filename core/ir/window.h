// Arithmetic of windows that slide along one dimension.
#pragma once

#include "core/ir/module.h"

namespace bp::ir {

// A window that meets the same elements in the same order, without the positions that no element ever lies under, and
// with a stride no longer than it takes to pass all elements. `elements`, `outputs`: the sizes of the dimension before
// and after. For windows that the verifier accepts.
WindowDimension clipped(const WindowDimension &window, std::int64_t elements, std::int64_t outputs);

}  // namespace bp::ir
