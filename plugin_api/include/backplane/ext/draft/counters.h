// Draft: what a device counts while a program runs, such as bytes moved or cycles waited, for people who make programs
// faster. The device lists its counters; for a run that is measured, it adds to them.
#pragma once
#include <stdint.h>

#include "../../base/status.h"
#include "../../device.h"
#include "../compiler.h"

#ifdef __cplusplus
extern "C" {
#endif

static const char BP_EXT_COUNTERS[] = "bp.counters/draft-1";          // of a device: bp_device_counters
static const char BP_EXT_RUN_COUNTERS[] = "bp.run-counters/draft-1";  // of a run: bp_run_counters

// Units of counters. EVENTS: anything that is counted one by one, such as cache misses.
enum { BP_UNIT_EVENTS = 1, BP_UNIT_BYTES = 2, BP_UNIT_CYCLES = 3, BP_UNIT_NANOSECONDS = 4, BP_UNIT_OPERATIONS = 5 };

typedef struct bp_counter_desc {
  const char *name;         // "dram-read": [a-z0-9-]
  const char *help;         // one sentence for people
  uint32_t unit, reserved;  // BP_UNIT_; 0
} bp_counter_desc_t;
BP_FROZEN(bp_counter_desc_t, 24);

typedef struct bp_device_counters {
  // The counters: never null; the same from init() to destroy().
  // BP-COUNTER-01: no two counters have the same name, and each has a unit of the list above.
  const bp_counter_desc_t *counters;
  uint64_t counter_count;  // at least 1
} bp_device_counters_t;
BP_FROZEN(bp_device_counters_t, 16);

typedef struct bp_run_counters {
  // Adds `value` to counter `counter` of the run, for the instruction `instr` of the module, or for the run as a whole
  // if that is BP_NONE. Called before run() returns, or before the `done` of its submit() is signalled.
  // BP-COUNTER-02: `counter` is below counter_count, and `instr` is an instruction of the module or BP_NONE.
  // BP-COUNTER-03: equal inputs give equal bits, whether the run is measured or not.
  // [thread-safe]
  void(BP_ABI *add)(const bp_run_t *run, uint32_t counter, uint32_t instr, uint64_t value);
} bp_run_counters_t;
BP_FROZEN(bp_run_counters_t, 8);

#ifdef __cplusplus
}
#endif
