// Draft: a device reports when its instructions ran. This is requested run by run: if bp_run.get_extension() returns
// null for this id, nothing has to be measured.
#pragma once
#include <stdint.h>

#include "../../base/status.h"
#include "../compiler.h"

#ifdef __cplusplus
extern "C" {
#endif

static const char BP_EXT_PROFILE[] = "bp.profile/draft-1";

typedef struct bp_run_profile {
  // Reports that instruction `instr` of the module ran from `begin_ns` to `end_ns`, in nanoseconds of the device's own
  // clock. `track` distinguishes what runs at the same time: a core, an engine, a queue. Called before run() returns,
  // or before the `done` of its submit() is signalled. An instruction may be reported several times, as in loops.
  // BP-PROFILE-01: begin_ns <= end_ns, and the times reported for one track do not overlap.
  // BP-PROFILE-02: equal inputs give equal bits, whether the run is profiled or not.
  // [thread-safe]
  void(BP_ABI *record)(const bp_run_t *run, uint32_t instr, uint32_t track, uint64_t begin_ns, uint64_t end_ns);
} bp_run_profile_t;
BP_FROZEN(bp_run_profile_t, 8);

#ifdef __cplusplus
}
#endif
