// Draft: routines by name, for the custom calls of programs. A device that compiles claims the custom calls it compiles
// itself; those it does not claim run by the routine of their target, on host memory, like a kernel of tier 0. Settled
// by use before it becomes stable; the id stays.
#pragma once
#include <stdint.h>

#include "../../base/status.h"
#include "../../device.h"
#include "../kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

static const char BP_EXT_CUSTOM_CALL[] = "bp.custom-call/1";

typedef struct bp_routine {
  const char *target;  // the custom_call_target: "acme.top_p"
  bp_kernel kernel;    // reads its options from the attributes of call->instr
} bp_routine_t;
BP_FROZEN(bp_routine_t, 16);

typedef struct bp_device_custom_call {
  // Never null; the same from init() to destroy().
  // BP-ROUTINE-01: targets differ from each other.
  // BP-ROUTINE-02: what shapes a routine does not take, it refuses with BP_INVALID and a report; the run fails.
  const bp_routine_t *routines;
  uint64_t routine_count;
} bp_device_custom_call_t;
BP_FROZEN(bp_device_custom_call_t, 16);

#ifdef __cplusplus
}
#endif
