// Rewriting: lets a device rewrite a module before its buffers are assigned (bp.rewrite/1).
#pragma once

#include "core/compile/claims.h"
#include "core/compile/session.h"

namespace bp::compile {

// The phases of bp_device_rewrite.rewrite: the stage that the module is about to leave.
enum class Phase : std::uint32_t {
  AsRead = 0,
  Legalize = BP_STAGE_LEGALIZE,
  LaidOut = BP_STAGE_LAID_OUT,
  Fused = BP_STAGE_FUSED,
};

// Offers the module to the device, if it rewrites any, and uses the result. In phases after AsRead, the module is left
// as it was if the device refuses more of the new form than before: more than `claims` says, which is then updated to
// the new form, or without `claims`, anything at all. PluginFailure if the device's output is not a valid rewritten
// module.
Status offer(Session &session, ir::Module &module, Phase phase, Claims *claims = nullptr);

}  // namespace bp::compile
