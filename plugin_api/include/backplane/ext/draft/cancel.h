// Draft: a run that is ended early, because it was cancelled or because its deadline has passed. The core offers this
// table for a run that somebody may end; if bp_run.get_extension() returns null for this id, nobody does. A device that
// never asks is as correct, but nobody can stop it.
#pragma once
#include <stdint.h>

#include "../../base/status.h"
#include "../compiler.h"

#ifdef __cplusplus
extern "C" {
#endif

static const char BP_EXT_CANCEL[] = "bp.cancel/draft-1";

typedef struct bp_run_cancel {
  // Returns 1 if the run is to end early, else 0; after the first 1 always 1. A call costs about as much as reading a
  // clock. A device asks between two pieces of work, and in each iteration of a loop.
  // BP-CANCEL-01: a run that gets 1 ends without further pieces of work. It returns BP_CANCELLED, or BP_OK if all of
  //               its work is done. After BP_CANCELLED its outputs and donated inputs are undefined; the program and
  //               the device can be used as before.
  // BP-CANCEL-02: no run returns BP_CANCELLED that did not get 1.
  // [thread-safe]
  uint32_t(BP_ABI *is_over)(const bp_run_t *run);
} bp_run_cancel_t;
BP_FROZEN(bp_run_cancel_t, 8);

#ifdef __cplusplus
}
#endif
