// Tier 4, optional: the device changes the program before its buffers are assigned. The core verifies what it returns.
#pragma once
#include <stdint.h>

#include "../base/status.h"
#include "../device.h"
#include "../module.h"

#ifdef __cplusplus
extern "C" {
#endif

static const char BP_EXT_REWRITE[] = "bp.rewrite/1";

typedef struct bp_device_rewrite {
  // Writes a new module of the same stage, or nothing to keep the old one. `phase` is the stage that the module is
  // about to leave; 0: the module is as it was read. The core fills in its hash. A constant has the content of a
  // constant of the old module, or BP_ATTR_VALUE. After phase 0 the core drops the new module if claim() or find()
  // takes fewer of its instructions.
  // BP-REWRITE-01: rewrite() is pure: the same module gives the same answer.
  // BP-REWRITE-02: rewrite() does not change the signature of the entry computation, aliases or side effects. It writes
  //                a vendor's own op as a composite call that keeps its decomposition, so that other devices can still
  //                run the program.
  // [thread-safe]
  bp_status(BP_ABI *rewrite)(const bp_device_t *device, uint32_t phase, const bp_module_t *module,
                             const bp_ostream_t *out, const bp_diag_t *diag);
} bp_device_rewrite_t;
BP_FROZEN(bp_device_rewrite_t, 8);

#ifdef __cplusplus
}
#endif
