// Draft: the core proposes fusions, the device prices them. Settled by use before it becomes stable; the id stays.
#pragma once
#include <stdint.h>

#include "../../base/status.h"
#include "../../device.h"
#include "../../module.h"

#ifdef __cplusplus
extern "C" {
#endif

static const char BP_EXT_FUSION[] = "bp.fusion/1";

// Asked at stage BP_STAGE_LAID_OUT.
typedef struct bp_device_fusion {
  // Prices groups of instructions. groups[g]: index of its first member in `members`, and the number of members;
  // members: instruction indices, in order. Writes cost_ns[g]: the time of group g as one fusion instruction, negative
  // if it cannot be one.
  // BP-FUSION-01: pure, as BP-CLAIM-01; a price of 0 or more is binding, as BP-CLAIM-03.
  // [thread-safe]
  bp_status(BP_ABI *estimate)(const bp_device_t *device, const bp_module_t *module, const uint32_t *members,
                              const bp_range_t *groups, uint32_t group_count, float *cost_ns, const bp_diag_t *diag);
} bp_device_fusion_t;
BP_FROZEN(bp_device_fusion_t, 8);

#ifdef __cplusplus
}
#endif
