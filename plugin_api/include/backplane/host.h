// The functions of the core that a plugin may call: services by id, and moving a timeline forward.
//
// The core offers services as extensions. So far there are "bp.log/1" (ext/log.h) and "bp.thread-pool/1"
// (ext/thread_pool.h). Nothing is linked: a plugin works without a service that is not offered (BP-LAW-03).
#pragma once
#include <stdint.h>

#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// One value of one timeline. Only the core creates, awaits and destroys timelines; their values only grow.
typedef struct bp_point {
  uint64_t timeline, value;
} bp_point_t;
BP_FROZEN(bp_point_t, 16);

// The core, as a plugin sees it. Owned by the core. Outlives the device it was passed to.
typedef struct bp_host {
  bp_version_t bp_version;
  void *host_data;      // for the core's use
  const char *name;     // "backplane"
  const char *version;  // "0.1.0"

  // Returns the service with this id, or null if it is not offered. The table belongs to the host and lives as long as
  // it.
  // BP-HOST-01: a plugin works, perhaps more slowly, whichever ids get_extension() returns null for.
  // [thread-safe]
  const void *(BP_ABI *get_extension)(const struct bp_host *host, const char *id);

  // Moves a timeline forward: the work that ends with `point` is done. A status other than BP_OK makes everything fail
  // that waits for the point; `instr` and `msg` (may be null, is copied) say why.
  // BP-SIGNAL-01: signal() is called exactly once for each accepted submit(), also after BP_DEVICE_LOST.
  // BP-SIGNAL-02: signal() is never called for a point that submit() refused or was not given.
  // It never calls back into the plugin, so it may be called with the plugin's locks held.
  // [thread-safe]
  void(BP_ABI *signal)(const struct bp_host *host, bp_point_t point, bp_status status, uint32_t instr, const char *msg);
} bp_host_t;
BP_FROZEN(bp_host_t, 56);

#ifdef __cplusplus
}
#endif
