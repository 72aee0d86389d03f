// Draft: how urgent a run is. The core offers this table for runs that were given a priority; the others have
// priority 0.
#pragma once
#include <stdint.h>

#include "../../base/status.h"
#include "../compiler.h"

#ifdef __cplusplus
extern "C" {
#endif

static const char BP_EXT_PRIORITY[] = "bp.priority/draft-1";

typedef struct bp_run_priority {
  // Returns the priority; it stays the same.
  // BP-PRIORITY-01: of several runs that wait for the same hardware, one with the largest number begins first; among
  //                 equals, the one that waits longest. Commands of one queue keep their order (BP-SUBMIT-01).
  // [thread-safe]
  int32_t(BP_ABI *priority)(const bp_run_t *run);
} bp_run_priority_t;
BP_FROZEN(bp_run_priority_t, 8);

#ifdef __cplusplus
}
#endif
