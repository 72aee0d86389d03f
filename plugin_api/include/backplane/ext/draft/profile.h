// Draft: a device says when its instructions ran. It is asked for run by run: where bp_run.get_extension() has nothing
// under this id, nobody listens and nothing has to be measured. Settled by use before it becomes stable; the id stays.
#pragma once
#include <stdint.h>

#include "../../base/status.h"
#include "../compiler.h"

#ifdef __cplusplus
extern "C" {
#endif

static const char BP_EXT_PROFILE[] = "bp.profile/1";

typedef struct bp_run_profile {
  // Says that instruction `instr` of the module ran from `begin_ns` to `end_ns`, in nanoseconds of a clock of the
  // device's own. `track` tells apart what runs at the same time: a core, an engine, a queue. Called before run()
  // returns, or before the `done` of its submit() is signalled; an instruction may be reported several times, as in loops.
  // BP-PROFILE-01: begin_ns <= end_ns, and what is reported for one track does not overlap.
  // BP-PROFILE-02: equal inputs give equal bits whether somebody listens or not.
  // [thread-safe]
  void(BP_ABI *record)(const bp_run_t *run, uint32_t instr, uint32_t track, uint64_t begin_ns, uint64_t end_ns);
} bp_run_profile_t;
BP_FROZEN(bp_run_profile_t, 8);

#ifdef __cplusplus
}
#endif
