// What a plugin may ask of the core: services by id, and moving a timeline forward.
//
// The core offers services as extensions; those known so far are "bp.log/1" (ext/log.h) and "bp.thread-pool/1"
// (ext/thread_pool.h). Nothing is linked: a plugin that finds a service missing does without (BP-LAW-03).
#pragma once
#include <stdint.h>

#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// One value of one timeline. Timelines are created, waited on and destroyed by the core alone; they only grow.
typedef struct bp_point {
  uint64_t timeline, value;
} bp_point_t;
BP_FROZEN(bp_point_t, 16);

// Owned by the core. Outlives the device it was passed to.
typedef struct bp_host {
  bp_version_t bp_version;
  void *host_data;      // the core's own
  const char *name;     // "backplane"
  const char *version;  // "0.1.0"

  // The service with this id, or null if it is not offered. The table belongs to the host and lives as long as it.
  // BP-HOST-01: a plugin works, perhaps more slowly, whatever comes back as null.
  // [thread-safe]
  const void *(BP_ABI *get_extension)(const struct bp_host *host, const char *id);

  // Moves a timeline forward: the work behind `point` is done. A status other than BP_OK poisons everything that waits
  // for the point; `instr` and `msg` (may be null, is copied) say why.
  // BP-SIGNAL-01: exactly once per accepted submit(), also after BP_DEVICE_LOST.
  // BP-SIGNAL-02: never for a point that submit() refused or was not given.
  // It never calls back into the plugin, so it may be called with the plugin's locks held.
  // [thread-safe]
  void(BP_ABI *signal)(const struct bp_host *host, bp_point_t point, bp_status status, uint32_t instr, const char *msg);
} bp_host_t;
BP_FROZEN(bp_host_t, 56);

#ifdef __cplusplus
}
#endif
