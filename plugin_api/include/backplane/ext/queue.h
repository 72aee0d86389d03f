// Tier 3: asynchronous submission. There is one means of synchronization: timelines, which the core owns and a plugin
// only signals (bp_host.signal). So asynchrony can be emulated, traced, and permuted in tests.
#pragma once
#include <stdint.h>

#include "../base/status.h"
#include "../device.h"
#include "../host.h"
#include "compiler.h"
#include "memory.h"

#ifdef __cplusplus
extern "C" {
#endif

static const char BP_EXT_QUEUE[] = "bp.queue/1";

enum { BP_COMMAND_RUN = 1, BP_COMMAND_COPY = 2, BP_COMMAND_FILL = 3 };

// One command. Members used by each kind: run: program, run. copy: to, from, size. fill: to, size, and the pattern_size
// (1, 2, 4 or 8) low bytes of pattern.
// BP-FILL-01: a fill begins at any byte, with the first byte of the pattern. Its size is a multiple of pattern_size,
//             and has no other limit than that of the piece of memory.
typedef struct bp_command {
  uint32_t kind, pattern_size;
  const bp_program_t *program;
  const bp_run_t *run;
  bp_loc_t to, from;
  uint64_t size, pattern;
} bp_command_t;
BP_FROZEN(bp_command_t, 72);

typedef struct bp_device_queue {
  const uint32_t *queues;  // one per queue: bit k is set if it takes commands of kind k. Owned by the device
  uint64_t queue_count;

  // Accepts commands and returns without waiting for them; when the last is done, signals `done`. There may be none:
  // then `done` is signalled when the earlier ones of the queue are done.
  // The core waits for other queues before it calls submit(), unless the device has "bp.native-sync/1".
  // BP-SUBMIT-01: the commands of one queue take effect in order; queues are independent of each other.
  // BP-SUBMIT-02: submit() reads the commands before it returns; bp_run and what it points to stay valid until `done`
  //               is signalled.
  // BP-SUBMIT-03: BP_OK means that submit() has accepted the commands: `done` will be signalled exactly once
  //               (BP-SIGNAL-01), perhaps before submit() returns. Any other status means that nothing was started, and
  //               `done` is never signalled.
  // [queue]
  bp_status(BP_ABI *submit)(const bp_device_t *device, uint32_t queue, const bp_command_t *commands,
                            uint32_t command_count, bp_point_t done, const bp_diag_t *diag);
} bp_device_queue_t;
BP_FROZEN(bp_device_queue_t, 24);

static const char BP_EXT_NATIVE_SYNC[] = "bp.native-sync/1";

// Optional: the device itself can wait for points.
typedef struct bp_device_native_sync {
  // Makes the next submit() to this queue wait for the point, without a round trip through the host. Returns at once.
  // The point is the `done` of a submit() that this device has accepted, perhaps signalled already. May be called
  // several times before a submit(), which then waits for all the points.
  // BP-WAIT-01: if a point given to wait() is signalled with a failure, or already was, the commands of the next
  //             submit() fail in the same way.
  // [queue]
  bp_status(BP_ABI *wait)(const bp_device_t *device, uint32_t queue, bp_point_t point, const bp_diag_t *diag);
} bp_device_native_sync_t;
BP_FROZEN(bp_device_native_sync_t, 8);

#ifdef __cplusplus
}
#endif
