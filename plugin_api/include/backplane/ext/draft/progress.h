// Draft: a service of the host for calls that may take long, which are compile() and load(): the plugin says how far
// it is, and learns whether the result is still wanted.
#pragma once
#include <stdint.h>

#include "../../base/status.h"
#include "../../host.h"

#ifdef __cplusplus
extern "C" {
#endif

static const char BP_EXT_PROGRESS[] = "bp.progress/draft-1";

typedef struct bp_host_progress {
  // Says that `done` of `total` equal parts of the work of a call are done; `diag` is the one that was passed to the
  // call. Returns BP_OK; or BP_CANCELLED if the result is not wanted any more: then the call releases what it holds and
  // returns BP_CANCELLED, too. A call of this function costs about as much as reading a clock.
  // BP-PROGRESS-01: report() is called only during the call that `diag` was passed to, with done <= total.
  // BP-PROGRESS-02: compile() and load() return BP_CANCELLED only if report() returned it to them. They then have
  //                 written nothing but bytes of the artifact, which are ignored.
  // [thread-safe]
  bp_status(BP_ABI *report)(const bp_host_t *host, const bp_diag_t *diag, uint64_t done, uint64_t total);
} bp_host_progress_t;
BP_FROZEN(bp_host_progress_t, 8);

#ifdef __cplusplus
}
#endif
