// Draft: instructions that the application runs, called from inside a program: infeed, outfeed, and custom calls of
// functions that the application has registered. Without this extension the core ends the device's program before such
// an instruction, has the application run it, and goes on with another program; a loop that contains one runs on the
// host. With it, one program of the device contains all.
//
// The device lists the kinds that it calls out for. The core marks such instructions with BP_INSTR_HOST_CALL, and the
// device claims those whose operands and results it can hold. A marked instruction has only arrays and tokens as
// operands and results, calls no computation, and its arrays lie in spaces that are not BP_SPACE_PER_RUN.
//
// When the program gets there, the device calls bp_run_host_call.call(): the core reads the operands from their slices,
// asks the application, and writes the results to theirs. For a device with memory of its own it uses copy() of
// bp.memory/1.
#pragma once
#include <stdint.h>

#include "../../base/status.h"
#include "../../device.h"
#include "../compiler.h"

#ifdef __cplusplus
extern "C" {
#endif

static const char BP_EXT_HOST_CALL[] = "bp.host-call/draft-1";          // of a device: bp_device_host_call
static const char BP_EXT_RUN_HOST_CALL[] = "bp.run-host-call/draft-1";  // of a run: bp_run_host_call

#define BP_CALLS_INFEED 1u     // infeed: its results are given by the application
#define BP_CALLS_OUTFEED 2u    // outfeed: its operands are given to the application
#define BP_CALLS_FUNCTIONS 4u  // custom calls of registered functions

typedef struct bp_device_host_call {
  uint32_t kinds;  // BP_CALLS_*; 0: none, as where calls cannot be passed on. The same from init() to destroy()
} bp_device_host_call_t;
BP_FROZEN(bp_device_host_call_t, 4);

// The core offers this table for each run of a program that has marked instructions. So does whoever else runs it:
// this is not optional, unlike other tables of a run (BP-RUN-05).
typedef struct bp_run_host_call {
  // Has the application run the instruction with this index in the module, which is marked. Returns when its results
  // are in their slices; this may take any time.
  // BP-CALL-01: the device calls this once whenever the program gets to the instruction, when its operands are in
  //                  their slices, and reads the results only after BP_OK.
  // BP-CALL-02: marked instructions with side effects are called in the order of the schedule. A run makes one
  //                  call at a time.
  // BP-CALL-03: after any other status the run makes no further call, and ends with that status. Its outputs are
  //                  then undefined; the program and the device can be used as before.
  // BP-CALL-04: during the call the device holds no lock that its other functions need: the core copies, and the
  //                  application may allocate, compile, and run other programs on other queues or threads.
  // [worker]
  bp_status(BP_ABI *call)(const bp_run_t *run, uint32_t instr);
} bp_run_host_call_t;
BP_FROZEN(bp_run_host_call_t, 8);

#ifdef __cplusplus
}
#endif
