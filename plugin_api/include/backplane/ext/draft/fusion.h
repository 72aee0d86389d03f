// Draft: what a device takes as one kernel. The core proposes fusions within these limits, as fusion instructions of a
// module at stage BP_STAGE_FUSED, and claim() or find() answers for each: a fusion that is refused, or that costs more
// than its parts, is taken apart. So a device may take whole patterns, such as a dot with bias and activation, and run
// them by a routine of its own. Settled by use before it becomes stable; the id stays.
#pragma once
#include <stdint.h>

#include "../../base/status.h"
#include "../../device.h"
#include "../../module.h"

#ifdef __cplusplus
extern "C" {
#endif

static const char BP_EXT_FUSION[] = "bp.fusion/1";

// What fusions may contain beside elementwise ops, index arithmetic, and a reduction as the one result, which every device
// is offered; with any of 1, 2, 4 also concatenate, dynamic-slice, gather, pad, reduce-window of small windows, and a
// scatter of one array into a parameter as the one result.
#define BP_FUSES_CONTRACTIONS 1u  // a dot or convolution with elementwise work on its result: BP_FUSION_KIND_OUTPUT
#define BP_FUSES_ROWS 2u          // reductions along the last dimensions with what is done in the same rows: _KIND_INPUT
#define BP_FUSES_RESULTS 4u       // several results, of the same elements or one for each row of them
#define BP_FUSES_PROLOGUES 8u     // with the first: cheap elementwise work on what is multiplied, and broadcasts for it

typedef struct bp_fusion_limits {
  uint32_t kinds;             // BP_FUSES_*
  uint32_t max_instructions;  // in one fusion, but for scalar constants and broadcasts of these
  uint32_t max_values;        // operands and results of one fusion
  // A reduction to fewer results than this leaves a part of the device idle: a long one is proposed as two, of parts and
  // of what they give. With BP_FUSES_ROWS a result of neighbours in memory counts as 1024, and any other as 256. Likewise,
  // a long scan of few lines (a reduce-window from or to each element) is proposed as scans of blocks, and a scatter of
  // many windows smaller than this, whose order matters, sorted by place. What a part of the device leaves idle others may
  // use: instructions that do not wait for each other share no memory, as far as there is some to spare. 0: none of this.
  uint32_t min_results;
  uint64_t max_row_bytes;  // of one value, with BP_FUSES_ROWS
  // Kernels that touch fewer bytes cost more to start than to run: with BP_FUSES_RESULTS, those that do not wait for
  // each other are proposed as one, though they share nothing. Their results may be of any dimensions. 0: none.
  uint64_t small_kernel_bytes;
} bp_fusion_limits_t;
BP_FROZEN(bp_fusion_limits_t, 32);

typedef struct bp_device_fusion {
  const bp_fusion_limits_t *limits;  // never null; the same from init() to destroy()
} bp_device_fusion_t;
BP_FROZEN(bp_device_fusion_t, 8);

#ifdef __cplusplus
}
#endif
