// Draft: limits of what a device takes as one kernel. The core proposes fusions within these limits, as fusion
// instructions of a module at stage BP_STAGE_FUSED, and claim() or find() answers for each: a fusion that is refused,
// or that costs more than its parts, is taken apart. So a device may take whole patterns, such as a dot with bias and
// activation, and run them by a routine of its own.
#pragma once
#include <stdint.h>

#include "../../base/status.h"
#include "../../device.h"
#include "../../module.h"

#ifdef __cplusplus
extern "C" {
#endif

static const char BP_EXT_FUSION[] = "bp.fusion/draft-3";

// Bits that say what fusions may contain. Every device is offered elementwise ops, index arithmetic, and a reduction as
// the only result. If any of the bits 1, 2, 4 is set, fusions may also contain concatenate, dynamic-slice, gather, pad,
// reduce-window of small windows, and a scatter of one array into a parameter as the only result.
#define BP_FUSES_CONTRACTIONS 1u  // a dot or convolution with elementwise work on its result: BP_FUSION_KIND_OUTPUT
#define BP_FUSES_ROWS 2u          // reductions along the last dimensions, with work on the same rows: _KIND_INPUT
#define BP_FUSES_RESULTS 4u       // several results, with the same elements or with one element for each row of them
#define BP_FUSES_PROLOGUES 8u     // with CONTRACTIONS: cheap elementwise work and broadcasts on the operands
// Attention, _KIND_CUSTOM: a dot, elementwise work on its result and reductions along the last dimension of that, and a
// dot that contracts that dimension, the only result. The work may read other arrays, such as masks.
#define BP_FUSES_ATTENTION 16u

typedef struct bp_fusion_limits {
  uint32_t kinds;             // BP_FUSES_*
  uint32_t max_instructions;  // in one fusion, not counting scalar constants and broadcasts of them
  uint32_t max_values;        // operands and results of one fusion
  // Number of results below which a reduction leaves a part of the device idle. A long reduction to fewer results is
  // proposed as two: one of its parts, and one of the parts' results. With BP_FUSES_ROWS a result of elements that are
  // adjacent in memory counts as 1024, and any other as 256. 0: none is split.
  uint32_t min_results;
  uint64_t max_row_bytes;  // bytes per row of one value, with BP_FUSES_ROWS
  // Bytes read and written below which a kernel costs more to start than to run. With BP_FUSES_RESULTS, such kernels
  // that do not depend on each other are proposed as one, though they share no operands. Their results may have any
  // dimensions. 0: none are joined.
  uint64_t small_kernel_bytes;
  // The same number as min_results for other work that leaves a part of the device idle: a long scan of few lines (a
  // reduce-window from or to each element) is proposed as scans of blocks, and a scatter of many windows smaller than
  // this, whose order matters, sorted by index. So that other instructions may use the idle part of the device,
  // instructions that do not depend on each other share no memory, as far as there is enough of it. 0: none of this is
  // done.
  uint32_t min_results_in_order;
  // With BP_FUSES_PROLOGUES: how many times an element of an operand may be computed, which is the number of rows or
  // columns that it is multiplied with. So 1 is about a matrix times a vector. 0: any number of times.
  uint32_t max_prologue_uses;
} bp_fusion_limits_t;
BP_FROZEN(bp_fusion_limits_t, 40);

typedef struct bp_device_fusion {
  const bp_fusion_limits_t *limits;  // never null; the same from init() to destroy()
} bp_device_fusion_t;
BP_FROZEN(bp_device_fusion_t, 8);

#ifdef __cplusplus
}
#endif
