// Tier 1: the device has memory of its own. The core plans every byte: it allocates few large pieces and divides them
// into slices.
#pragma once
#include <stdint.h>

#include "../base/status.h"
#include "../device.h"

#ifdef __cplusplus
extern "C" {
#endif

static const char BP_EXT_MEMORY[] = "bp.memory/1";

// A location in memory. {0, 0} stands for no location.
typedef struct bp_loc {
  uint64_t memory;  // from alloc(), or 0: host memory, and `offset` is the address
  uint64_t offset;  // bytes
} bp_loc_t;
BP_FROZEN(bp_loc_t, 16);

// Flags of a space. HOST_VISIBLE: the host can address it too (bp_memory.host). PEER_VISIBLE: other devices of the same
// plugin can address it too. PER_RUN: the content is lost when the run ends, as in a scratchpad; only temporaries and
// the scratch memory of programs are put there.
enum { BP_SPACE_HOST_VISIBLE = 1, BP_SPACE_PER_RUN = 2, BP_SPACE_PEER_VISIBLE = 4 };

// A kind of memory. The core puts everything into space 0 unless there is a reason to put it elsewhere.
typedef struct bp_space {
  const char *name;    // "hbm"
  uint64_t capacity;   // bytes; 0: unknown. A program that needs more of space 0 is refused before it is compiled
  uint32_t alignment;  // bytes, a power of two; every slice of this space has it
  uint32_t flags;      // BP_SPACE_
  uint32_t hlo_space;  // n of S(n) in an HLO layout
  float gb_per_s;      // 10^9 bytes per second; 0: unknown
} bp_space_t;
BP_FROZEN(bp_space_t, 32);

typedef struct bp_memory {
  uint64_t memory;   // handle, not 0
  void *host;        // address at which the host can read and write it, or null
  uint64_t address;  // address on the device, or 0
} bp_memory_t;
BP_FROZEN(bp_memory_t, 24);

typedef struct bp_device_memory {
  // BP-SPACE-01: a device that nobody else uses can allocate three quarters of the capacity that it states for a space
  //              that is not PER_RUN. Other instances of the device take nothing from it.
  const bp_space_t *spaces;  // owned by the device
  uint64_t space_count;      // at least 1

  // Allocates `size` (> 0) bytes of a space; `alignment` is a power of two. `out` is written only on success.
  // BP-ALLOC-01: if there is not enough memory, alloc() returns BP_NO_MEMORY, and the device goes on working.
  // BP-ALLOC-02: pieces of memory that exist at the same time do not overlap.
  // [thread-safe]
  bp_status(BP_ABI *alloc)(const bp_device_t *device, uint32_t space, uint64_t size, uint32_t alignment,
                           bp_memory_t *out, const bp_diag_t *diag);

  // Releases what alloc() returned. No work that uses it is in flight. Works after BP_DEVICE_LOST (BP-STATUS-03).
  // [thread-safe]
  void(BP_ABI *release)(const bp_device_t *device, uint64_t memory);

  // Copies `size` bytes between any two locations, on the host or the device; complete on return.
  // BP-COPY-01: both ranges lie inside their pieces of memory and do not overlap; a copy of size 0 does nothing.
  // BP-COPY-02: a copy, also as a command of a queue, has any size and begins at any byte on both sides.
  // [thread-safe]
  bp_status(BP_ABI *copy)(const bp_device_t *device, bp_loc_t to, bp_loc_t from, uint64_t size, const bp_diag_t *diag);
} bp_device_memory_t;
BP_FROZEN(bp_device_memory_t, 40);

#ifdef __cplusplus
}
#endif
