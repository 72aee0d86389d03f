// HloProto: a module with its memory plan as a BufferAssignmentProto, which XLA's memory viewers open.
#pragma once

#include "core/buffers/plan.h"
#include "core/import/hlo_proto/hlo_proto.h"

namespace bp::import::hlo_proto {

// Writes a module and its plan; the plan must have been made for this module, which must be scheduled. Each array is a
// logical buffer, defined where it is computed; other places where it appears are its aliases. The trace of a temporary
// allocation lists, in schedule order, when buffers are allocated and released. Errors are those of write_module() and
// buffers::assign().
Result<std::string> write_hlo_proto(const ir::Module &module, const buffers::Plan &plan);

}  // namespace bp::import::hlo_proto
