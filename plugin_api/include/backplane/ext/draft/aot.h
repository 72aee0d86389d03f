// Draft: programs that run without this plugin, and without Backplane. The device turns an artifact, which compile()
// has made, into object files; the core links them to one, adds the constants, and writes a C header for it
// (`backplane aot`). What the application links then is code and data alone.
//
// Together the objects of an artifact define two functions:
//
//   void bp_program(const bp_loc_t *allocations, void *scratch, const bp_aot_caller_t *caller);
//     One run, as bp_program.run(). All allocations are in the memory of the process, and so is the scratch memory:
//     shared_scratch_size bytes, then thread_scratch_size bytes for each thread of the caller. `scratch`, aligned to
//     64, is the address of those of the first thread.
//
//   int32_t bp_check(void);
//     Returns 1 if the machine has all that the code needs, else 0. Runs on any machine of the architecture.
//
// All other symbols that they define belong to the program alone: the core makes them local.
#pragma once
#include <stdint.h>

#include "../../base/status.h"
#include "../../device.h"
#include "../memory.h"

#ifdef __cplusplus
extern "C" {
#endif

static const char BP_EXT_AOT[] = "bp.aot/draft-2";

// The work of a kernel on the items [begin, end), on the memory at `pointers`, with scratch memory of its own.
// The items of a call of share() may be done in any division, in any order, and at the same time (BP-AOT-03).
// [thread-safe]
typedef void(BP_ABI *bp_aot_task)(void *const *pointers, void *scratch, int64_t begin, int64_t end);

// The functions that the code may call during a run.
typedef struct bp_aot_caller {
  // Has all items of [begin, end) done, on any threads, and returns when they are (BP-AOT-03). The scratch memory of
  // thread number t is at scratch + t * thread_scratch_size.
  // [worker]
  void(BP_ABI *share)(const struct bp_aot_caller *caller, bp_aot_task task, void *const *pointers, void *scratch,
                      int64_t begin, int64_t end);
  // Returns 1 if the run is to end early, otherwise 0; null if that cannot be. The code asks before each iteration of a
  // loop.
  // BP-AOT-04: a run that got 1 returns without further iterations.
  // [worker]
  uint32_t(BP_ABI *is_over)(const struct bp_aot_caller *caller);
  // Has the application run the instruction with this index in the module (ext/draft/host_call.h). Returns 0 when its
  // results are in their slices. 1: it failed; is_over() then is not null, and returns 1 from now on. Null if the
  // program has no instruction with BP_INSTR_HOST_CALL.
  // BP-AOT-05: the code calls this as BP-CALL-01 and BP-CALL-02 say. After 1 it returns without further calls.
  // [worker]
  uint32_t(BP_ABI *call)(const struct bp_aot_caller *caller, uint32_t instr);
  void *context;  // for the caller's use
} bp_aot_caller_t;
BP_FROZEN(bp_aot_caller_t, 32);

#define BP_AOT_FREESTANDING 1u  // the program has no C library

typedef struct bp_aot_code {
  uint64_t shared_scratch_size;  // bytes, a multiple of 64
  uint64_t thread_scratch_size;  // bytes, a multiple of 64
  uint32_t object_count;         // at least 1
  uint32_t reserved;             // 0
} bp_aot_code_t;
BP_FROZEN(bp_aot_code_t, 24);

typedef struct bp_device_aot {
  // Describes the code of an artifact. `flags`: BP_AOT_; *code is written only on success. Returns BP_INVALID if the
  // artifact is damaged or foreign, as load() does, but takes one that was made for another machine.
  // BP-AOT-01: describe() and write_object() are pure: equal artifacts and flags give equal answers.
  // [thread-safe]
  bp_status(BP_ABI *describe)(const bp_device_t *device, const void *artifact, uint64_t size, uint32_t flags,
                              bp_aot_code_t *code, const bp_diag_t *diag);
  // Writes one of the objects; index < object_count.
  // BP-AOT-02: each object is a relocatable ELF file, 64 bits wide and little-endian, all of one machine, and its code
  //            works at any address. What it leaves undefined is defined by another of the objects; without
  //            BP_AOT_FREESTANDING it may also be memcpy, memmove, memset or memcmp.
  // BP-AOT-03: bp_program() computes what run() of the loaded artifact computes, bit by bit, however share() divides
  //            the work. It keeps to BP-RUN-01 and BP-RUN-04, calls nothing else of the process, and may run several
  //            times at once.
  // [thread-safe]
  bp_status(BP_ABI *write_object)(const bp_device_t *device, const void *artifact, uint64_t size, uint32_t flags,
                                  uint32_t index, const bp_ostream_t *object, const bp_diag_t *diag);
} bp_device_aot_t;
BP_FROZEN(bp_device_aot_t, 16);

#ifdef __cplusplus
}
#endif
