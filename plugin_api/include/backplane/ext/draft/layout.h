// Draft: the device says which layouts it would like; the core decides. Settled by use before it becomes stable.
#pragma once
#include <stdint.h>

#include "../../base/status.h"
#include "../../device.h"
#include "../../module.h"

#ifdef __cplusplus
extern "C" {
#endif

static const char BP_EXT_LAYOUT[] = "bp.layout/1";

// Slots from here on are results: BP_SLOT_RESULT + i is result i. Smaller ones are operands.
#define BP_SLOT_RESULT 0x80000000u

// Followed in the stream by `word_count` int64_t, encoded as bp_shape.layout.
typedef struct bp_layout_wish {
  uint32_t instr, slot;
  float gain_ns;  // time saved if granted; negative: required, the instruction is claimed only with this layout
  uint32_t word_count;
} bp_layout_wish_t;
BP_FROZEN(bp_layout_wish_t, 16);

// Asked at stage BP_STAGE_LEGALIZE, about instructions that own buffers. The core grants a wish where that saves more
// than the copies it takes, and then asks claim() or find() again, at BP_STAGE_LAID_OUT.
typedef struct bp_device_layout {
  // Writes bp_layout_wish_t, each followed by its words; no wish means any layout will do.
  // BP-LAYOUT-01: pure and local, as BP-CLAIM-01 and BP-CLAIM-02.
  // [thread-safe]
  bp_status(BP_ABI *wishes)(const bp_device_t *device, const bp_module_t *module, const bp_ostream_t *out,
                            const bp_diag_t *diag);
} bp_device_layout_t;
BP_FROZEN(bp_device_layout_t, 8);

#ifdef __cplusplus
}
#endif
