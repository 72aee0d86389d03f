// Loops and branches whose values have dynamic dimensions.
#pragma once

#include "core/ir/module.h"

namespace bp::passes {

// Replaces dynamic arrays in the state, the arguments and the results of whiles and conditionals that the entry
// reaches: an array with dynamic dimensions becomes a static array of its bounds and its sizes (PadToStatic), from
// which its users make the dynamic array again (SliceToDynamic). Nested tuples are not changed. Returns whether
// anything changed.
Result<bool> pack_dynamic_control_flow(ir::Module &module);

// Makes an entry that has dynamic parameters or a dynamic result call a computation that does its work, of static ones:
// the entry only converts arguments and results, by the same custom calls. Returns that computation; the entry itself,
// unchanged, if it is static or takes or returns tuples of tuples.
ir::ComputationId outline_static_body(ir::Module &module);

}  // namespace bp::passes
