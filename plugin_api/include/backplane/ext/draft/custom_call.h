// Draft: routines by name, for the custom calls of programs. A device that compiles claims the custom calls that it
// compiles itself. Those that it does not claim are run by the routine of their target, on host memory, like a kernel
// of tier 0.
#pragma once
#include <stdint.h>

#include "../../base/status.h"
#include "../../device.h"
#include "../kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

static const char BP_EXT_CUSTOM_CALL[] = "bp.custom-call/draft-1";

typedef struct bp_routine {
  const char *target;  // custom_call_target of the instruction: "acme.top_p"
  bp_kernel kernel;    // reads its options from the attributes of call->instr
} bp_routine_t;
BP_FROZEN(bp_routine_t, 16);

typedef struct bp_device_custom_call {
  // The routines: never null; the same from init() to destroy().
  // BP-ROUTINE-01: no two routines have the same target.
  // BP-ROUTINE-02: a routine that gets shapes that it does not support returns BP_INVALID and reports why; the run then
  //                fails.
  const bp_routine_t *routines;
  uint64_t routine_count;
} bp_device_custom_call_t;
BP_FROZEN(bp_device_custom_call_t, 16);

#ifdef __cplusplus
}
#endif
