// A backend of tier 0 (bp.kernels/1) as a program: the host walks the schedule and calls the device's kernel for each
// instruction, on the slices of the plan.
#pragma once

#include <memory>

#include "backplane/ext/compiler.h"
#include "core/base/result.h"
#include "core/host/plugin.h"

namespace bp::runtime {

// The image is final and borrowed as long as the program lives; each instruction of its entry that is not a parameter
// or constant has a kernel or is a bitcast. Released by its destroy().
Result<const bp_program_t *> make_kernel_program(std::shared_ptr<const host::Device> device, const bp_module_t *image);

}  // namespace bp::runtime
