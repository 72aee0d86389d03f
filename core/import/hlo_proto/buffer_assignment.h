// HloProto: a module with its plan of memory as a BufferAssignmentProto, which XLA's viewers of memory open.
#pragma once

#include "core/buffers/plan.h"
#include "core/import/hlo_proto/hlo_proto.h"

namespace bp::import::hlo_proto {

// The plan must be one for this module, which is scheduled. An array that is made somewhere is a logical buffer; where
// else it shows is an alias of it; the trace of a temporary allocation says, in the order of the schedule, which
// buffers come and go. Errors as write_module() and buffers::assign().
Result<std::string> write_hlo_proto(const ir::Module &module, const buffers::Plan &plan);

}  // namespace bp::import::hlo_proto
