// Rewriting: what a device makes of a module before its buffers are assigned (bp.rewrite/1).
#pragma once

#include "core/compile/claims.h"
#include "core/compile/session.h"

namespace bp::compile {

// Of bp_device_rewrite.rewrite: which stage the module is about to leave.
enum class Phase : std::uint32_t {
  AsRead = 0,
  Legalize = BP_STAGE_LEGALIZE,
  LaidOut = BP_STAGE_LAID_OUT,
  Fused = BP_STAGE_FUSED,
};

// Offers the module to the device, if it rewrites any, and takes what comes back. Later than AsRead, all stays as it was
// if the device refuses more of that than before: more than `claims` says, which are then those of the new form, or,
// without, anything. PluginFailure if what it wrote is no such module.
Status offer(Session &session, ir::Module &module, Phase phase, Claims *claims = nullptr);

}  // namespace bp::compile
