// The compiler: says what the machine runs and in which layouts, and makes programs. All are pure functions of the
// module.
#pragma once

#include "backplane/ext/compiler.h"
#include "plugins/npu/instruction_set.h"

namespace bp::npu {

// Implements bp_device_compiler.claim().
bp_status claim(const bp_module_t *module, float *cost_ns, const bp_diag_t *diag);

// Implements bp_device_layout.preferences(): dots require tiled layouts.
bp_status write_preferences(const bp_module_t *module, const bp_ostream_t *out);

// Implements bp_device_rewrite.rewrite(): dots with vectors become dots with matrices.
bp_status write_rewritten(std::uint32_t phase, const bp_module_t *module, const bp_ostream_t *out);

// Compiles a module that was claimed and is at BP_STAGE_FINAL.
bp_status compile(const bp_module_t *module, Program &program, const bp_diag_t *diag);

}  // namespace bp::npu
