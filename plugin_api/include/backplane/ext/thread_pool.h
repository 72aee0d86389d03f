// A host service: the core's threads. A plugin that uses them shares the machine well with everything else in the
// process; if the service is not offered, the plugin runs the loop itself.
#pragma once
#include <stdint.h>

#include "../base/status.h"
#include "../host.h"

#ifdef __cplusplus
extern "C" {
#endif

static const char BP_EXT_THREAD_POOL[] = "bp.thread-pool/1";

// The body of a parallel loop. `worker` < count(): no two calls that run at the same time have the same one, so it may
// index scratch memory. It may differ from one index to the next, and does not identify the thread.
// BP-PARALLEL-01: the bodies of a loop do not wait for each other: they may run in any order, and one after the other.
// [worker]
typedef void(BP_ABI *bp_parallel_body)(void *ctx, uint32_t index, uint32_t worker);

typedef struct bp_host_threads {
  // Returns the number of bodies of one loop that can run at the same time, including one on the caller's thread.
  // BP-THREADS-01: count() returns at least 1, and the same number each time.
  // [thread-safe]
  uint32_t(BP_ABI *count)(const bp_host_t *host);

  // Calls body(ctx, i, worker) for each i in [0, n). The caller's thread takes part, so the loop always makes progress.
  // Loops may be nested; the inner loop may then run on the calling thread alone.
  // BP-PARALLEL-02: parallel() calls the body once for each index, and all calls are done when it returns; no two calls
  //                 at the same time have the same `worker`.
  // [thread-safe]
  void(BP_ABI *parallel)(const bp_host_t *host, uint32_t n, bp_parallel_body body, void *ctx);
} bp_host_threads_t;
BP_FROZEN(bp_host_threads_t, 16);

#ifdef __cplusplus
}
#endif
