// The compiler: what the machine runs, in which layouts, and as which program. Pure functions of the module.
#pragma once

#include "backplane/ext/compiler.h"
#include "plugins/npu/instruction_set.h"

namespace bp::npu {

// As bp_device_compiler.claim().
bp_status claim(const bp_module_t *module, float *cost_ns, const bp_diag_t *diag);

// As bp_device_layout.wishes(): dots want tiles.
bp_status write_wishes(const bp_module_t *module, const bp_ostream_t *out);

// As bp_device_rewrite.rewrite(): dots with vectors become dots with matrices.
bp_status write_rewritten(std::uint32_t phase, const bp_module_t *module, const bp_ostream_t *out);

// A module that is claimed, at BP_STAGE_FINAL.
bp_status compile(const bp_module_t *module, Program &program, const bp_diag_t *diag);

}  // namespace bp::npu
