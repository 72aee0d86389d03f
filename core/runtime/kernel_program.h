// A program of kernels on host memory: the host walks the schedule and calls a kernel for each instruction, on the
// slices of the plan. Used for backends of tier 0 (bp.kernels/1), and for custom calls with a routine of that name
// (bp.custom-call/draft-1).
#pragma once

#include <memory>
#include <string_view>

#include "backplane/ext/compiler.h"
#include "backplane/ext/kernels.h"
#include "core/base/result.h"
#include "core/host/diagnostics.h"
#include "core/host/plugin.h"

namespace bp::runtime {

// Returns the device's kernel for a custom call with this target; nullptr if it has no routine of that name.
bp_kernel find_routine(const host::Device &device, std::string_view target);

// Returns the status of a call of find(), which has none: BP_DEVICE_LOST if that was reported, else BP_OK.
bp_status status_of_find(const host::Diagnostics &diagnostics);

// The image is final and must outlive the program; each instruction of its entry that is not a parameter or constant
// has a kernel or a routine, or is a bitcast. The program is released by its destroy().
Result<const bp_program_t *> make_kernel_program(std::shared_ptr<const host::Device> device, const bp_module_t *image);

}  // namespace bp::runtime
