// Loops and branches whose values have dynamic dimensions.
#pragma once

#include "core/ir/module.h"

namespace bp::passes {

// Gives whiles and conditionals that the entry reaches static values: in the state, the arguments and the results an
// array with dynamic dimensions becomes the array of its bounds and its sizes (PadToStatic), of which those who use it
// make the array again (SliceToDynamic). Nested tuples stay as they are. Whether anything changed.
Result<bool> pack_dynamic_control_flow(ir::Module &module);

}  // namespace bp::passes
