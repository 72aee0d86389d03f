// Tier 2: the vendor compiles. claim() says which instructions the device takes, compile() maps bytes to bytes, load()
// makes an artifact runnable, run() runs it. Since compile() needs no hardware and no state, artifacts can be cached,
// made in another process or on another machine, and shipped.
#pragma once
#include <stdint.h>

#include "../base/status.h"
#include "../device.h"
#include "../module.h"
#include "memory.h"

#ifdef __cplusplus
extern "C" {
#endif

static const char BP_EXT_COMPILER[] = "bp.compiler/1";

// One run of one program. Owned by the core and valid until run() returns, or until a submit's `done` is signalled.
typedef struct bp_run {
  uint64_t id;                  // identifies the run in traces and for cancellation
  const bp_loc_t *allocations;  // one per allocation of the module; may differ from run to run
  uint64_t allocation_count;
  bp_loc_t scratch;  // bp_program.scratch_size bytes for this run alone; {0, 0} if that is 0
  void *ctx;         // for the core's use

  // Returns further tables about this run, "bp.cancel/draft-1", "bp.profile/draft-1" ... (ext/draft), or null.
  // BP-RUN-05: a run computes the same results, whichever ids get_extension() returns null for.
  // [thread-safe]
  const void *(BP_ABI *get_extension)(const struct bp_run *run, const char *id);
} bp_run_t;
BP_FROZEN(bp_run_t, 56);

// A loaded artifact, made by load() and released by destroy().
typedef struct bp_program {
  void *program_data;                         // for the plugin's use
  uint64_t scratch_size, resident_size;       // bytes per run; bytes held while loaded. The core accounts for both
  uint32_t scratch_alignment, scratch_space;  // of the scratch memory

  // Runs the program; complete on return. Runs of one program may be concurrent.
  // BP-RUN-01: run() writes only outputs, temporaries and its scratch memory, and an input only where the `alias` of an
  //            output donates it.
  // BP-RUN-02: run() takes no memory from the system beyond what was declared: all slices are planned in advance.
  // BP-RUN-03: run() returns BP_NO_MEMORY only before its first write; after any other failure donated inputs are
  //            undefined.
  // BP-RUN-04: run() keeps no observable state: equal inputs give equal bits in any order and number of runs.
  // [worker]
  bp_status(BP_ABI *run)(const struct bp_program *program, const bp_run_t *run, const bp_diag_t *diag);

  // Releases the program. Works after BP_DEVICE_LOST (BP-STATUS-03).
  // [control & idle]
  void(BP_ABI *destroy)(const struct bp_program *program);
} bp_program_t;
BP_FROZEN(bp_program_t, 48);

typedef struct bp_device_compiler {
  // Writes to cost_ns[i], for each instruction i of the module, the estimated time in nanoseconds, or a negative number
  // if the device does not take the instruction; `diag` may say why. Called again for every form of the module that the
  // core wants to commit (bp_module.stage). A call-like instruction counts as claimed only if everything in the control
  // computations that it calls is claimed. Instructions of embedded computations are not claimed one by one: a fusion,
  // reduce or sort is claimed as a whole, including its body. The cost_ns of parameters, constants and bitcasts is
  // ignored.
  // BP-CLAIM-01: claim() is pure: equal questions get equal answers, whatever the state of the device and the process.
  // BP-CLAIM-02: claim() is local: an answer depends on nothing except what BP-FIND-02 lists.
  // BP-CLAIM-03: a claim is binding: compile() never returns BP_UNSUPPORTED for a module of claimed instructions.
  // BP-CLAIM-04: claim() writes every element of cost_ns, and never NaN.
  // [thread-safe]
  bp_status(BP_ABI *claim)(const bp_device_t *device, const bp_module_t *module, float *cost_ns, const bp_diag_t *diag);

  // Compiles a module of stage BP_STAGE_FINAL, all of it claimed, and writes the artifact.
  // BP-COMPILE-01: compile() is pure: the same module and target give an artifact that behaves the same.
  // BP-COMPILE-02: compile() accesses no hardware; it works in a process and on a machine without the device.
  // [thread-safe]
  bp_status(BP_ABI *compile)(const bp_device_t *device, const bp_module_t *module, const bp_ostream_t *artifact,
                             const bp_diag_t *diag);

  // Makes an artifact runnable. constants[i] is the location of allocation i, {0, 0} unless it is a constant. The
  // plugin sets taken[i] (0 on entry) to 1 if the program has its own copy of the constant (packed weights); run() then
  // gets {0, 0} for it, and the core may free its copy. The artifact is borrowed for the call. *program is written only
  // on success.
  // BP-LOAD-01: load() returns BP_INVALID, and never crashes, if the artifact is damaged, foreign, or made for another
  //             target, unless the device runs code of that target, as a CPU runs that of an older one. The core then
  //             compiles again.
  // BP-LOAD-02: load() takes only constants. Once it has returned, the program does not read the core's copy of a
  //             constant that was taken.
  // BP-LOAD-03: the bytes may lie at any address, and may have been made by another process: load() needs no earlier
  //             compile().
  // [control]
  bp_status(BP_ABI *load)(const bp_device_t *device, const void *artifact, uint64_t size, const bp_loc_t *constants,
                          uint8_t *taken, uint32_t allocation_count, const bp_program_t **program,
                          const bp_diag_t *diag);
} bp_device_compiler_t;
BP_FROZEN(bp_device_compiler_t, 24);

#ifdef __cplusplus
}
#endif
