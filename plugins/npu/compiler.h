// The compiler: says what the machine runs and in which layouts, and makes programs. All are pure functions of the
// module.
#pragma once

#include <string>

#include "plugin_api/cpp/device.h"
#include "plugins/npu/instruction_set.h"

namespace bp::npu {

// Implements bp_device_compiler.claim().
void claim(const bp_module_t *module, plugin::Claims &claims);

// Implements bp_device_layout.preferences(): dots require tiled layouts.
std::string preferences(const bp_module_t *module);

// Implements bp_device_rewrite.rewrite(): dots with vectors become dots with matrices.
std::string rewrite(std::uint32_t phase, const bp_module_t *module);

// Compiles a module that was claimed and is at BP_STAGE_FINAL. Reports its progress by instructions, and fails with
// BP_CANCELLED if the result is not wanted any more. With the contents of constants, programs may take fewer cycles.
plugin::Result<Program> compile(const bp_module_t *module, const plugin::Progress &progress,
                                const plugin::Constants &constants);

}  // namespace bp::npu
