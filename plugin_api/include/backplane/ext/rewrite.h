// Tier 4, optional: shape the program before its buffers are assigned. The core verifies what comes back.
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
  // Writes a new module of the same stage, or nothing to keep the old one. `phase` is the stage the module is about to
  // leave; 0: as read. Its hash is the core's to fill in. A constant has the content of one that was there, or
  // BP_ATTR_VALUE. Later than phase 0 the core drops a form of which claim() or find() takes less.
  // BP-REWRITE-01: pure: the same module gives the same answer.
  // BP-REWRITE-02: entry signature, aliases and side effects stay. A vendor's own op is a composite call that keeps its
  //                decomposition, so that others can still run the program.
  // [thread-safe]
  bp_status(BP_ABI *rewrite)(const bp_device_t *device, uint32_t phase, const bp_module_t *module,
                             const bp_ostream_t *out, const bp_diag_t *diag);
} bp_device_rewrite_t;
BP_FROZEN(bp_device_rewrite_t, 8);

#ifdef __cplusplus
}
#endif
