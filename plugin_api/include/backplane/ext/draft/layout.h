// Draft: the device says which layouts it prefers; the core decides.
#pragma once
#include <stdint.h>

#include "../../base/status.h"
#include "../../device.h"
#include "../../module.h"

#ifdef __cplusplus
extern "C" {
#endif

static const char BP_EXT_LAYOUT[] = "bp.layout/draft-1";

// The first slot of a result: slot BP_SLOT_RESULT + i is result i; smaller slots are operands.
#define BP_SLOT_RESULT 0x80000000u

// A preferred layout. In the stream it is followed by `word_count` int64_t, which are encoded as bp_shape.layout is.
typedef struct bp_layout_preference {
  uint32_t instr, slot;
  float gain_ns;  // time saved if it is granted; negative: the instruction is claimed only with this layout
  uint32_t word_count;
} bp_layout_preference_t;
BP_FROZEN(bp_layout_preference_t, 16);

// Called at stage BP_STAGE_LEGALIZE for instructions that own buffers. The core grants a preference if that saves more
// than the copies that it needs, and then calls claim() or find() again, at BP_STAGE_LAID_OUT.
typedef struct bp_device_layout {
  // Writes any number of bp_layout_preference_t, each followed by its words. Where it writes none, any layout will do.
  // Tiles may depend on the order of dimensions: if there are preferences of both kinds, the core grants orders first,
  // and takes the tiles from a second call, about the module with these orders.
  // BP-LAYOUT-01: preferences() is pure as in BP-CLAIM-01, and local as in BP-CLAIM-02.
  // [thread-safe]
  bp_status(BP_ABI *preferences)(const bp_device_t *device, const bp_module_t *module, const bp_ostream_t *out,
                                 const bp_diag_t *diag);
} bp_device_layout_t;
BP_FROZEN(bp_device_layout_t, 8);

#ifdef __cplusplus
}
#endif
