// Tier 1: the device has memory of its own. The core plans every byte: it asks for few large pieces and hands out
// slices.
#pragma once
#include <stdint.h>

#include "../base/status.h"
#include "../device.h"

#ifdef __cplusplus
extern "C" {
#endif

static const char BP_EXT_MEMORY[] = "bp.memory/1";

// A place in memory. {0, 0} is no place.
typedef struct bp_loc {
  uint64_t memory;  // from alloc(), or 0: host memory, and `offset` is the address
  uint64_t offset;  // bytes
} bp_loc_t;
BP_FROZEN(bp_loc_t, 16);

// Who beside the device can address it: the host (bp_memory.host), other devices of the same plugin. Per run: the content
// ends with the run, as in a scratchpad; only temporaries and the scratch memory of programs are put there.
enum { BP_SPACE_HOST_VISIBLE = 1, BP_SPACE_PER_RUN = 2, BP_SPACE_PEER_VISIBLE = 4 };

// A kind of memory. Space 0 is where the core puts everything it has no reason to put elsewhere.
typedef struct bp_space {
  const char *name;    // "hbm"
  uint64_t capacity;   // bytes; 0: unknown. Programs that need more of space 0 are refused before they are compiled
  uint32_t alignment;  // bytes, a power of two; that of every slice the core hands out
  uint32_t flags;      // BP_SPACE_
  uint32_t hlo_space;  // the n of S(n) in an HLO layout
  float gb_per_s;      // 10^9 bytes per second; 0: unknown
} bp_space_t;
BP_FROZEN(bp_space_t, 32);

typedef struct bp_memory {
  uint64_t memory;   // the handle, not 0
  void *host;        // where the host can read and write it, or null
  uint64_t address;  // the device's own address, or 0
} bp_memory_t;
BP_FROZEN(bp_memory_t, 24);

typedef struct bp_device_memory {
  const bp_space_t *spaces;  // owned by the device
  uint64_t space_count;      // at least 1

  // Takes `size` (> 0) bytes from a space; `alignment` is a power of two. `out` is written only on success.
  // BP-ALLOC-01: when there is not enough, BP_NO_MEMORY, and the device goes on working.
  // BP-ALLOC-02: pieces alive at the same time do not overlap.
  // [thread-safe]
  bp_status(BP_ABI *alloc)(const bp_device_t *device, uint32_t space, uint64_t size, uint32_t alignment,
                           bp_memory_t *out, const bp_diag_t *diag);

  // Gives back what alloc() returned. No work that uses it is in flight. Works after BP_DEVICE_LOST (BP-STATUS-03).
  // [thread-safe]
  void(BP_ABI *release)(const bp_device_t *device, uint64_t memory);

  // Copies `size` bytes between any two places, host or device; complete on return.
  // BP-COPY-01: the ranges lie inside their pieces and do not overlap; size 0 does nothing.
  // [thread-safe]
  bp_status(BP_ABI *copy)(const bp_device_t *device, bp_loc_t to, bp_loc_t from, uint64_t size, const bp_diag_t *diag);
} bp_device_memory_t;
BP_FROZEN(bp_device_memory_t, 40);

#ifdef __cplusplus
}
#endif
