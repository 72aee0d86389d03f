// Tier 0: the vendor has a few kernels, which work on host memory and synchronously. The core partitions, plans memory,
// schedules, offers threads, and runs on the host every instruction without a kernel.
#pragma once
#include <stdint.h>

#include "../base/status.h"
#include "../device.h"
#include "../module.h"

#ifdef __cplusplus
extern "C" {
#endif

static const char BP_EXT_KERNELS[] = "bp.kernels/1";

// One execution of one instruction. Owned by the core and valid during the call.
typedef struct bp_call {
  const bp_module_t *module;
  uint32_t instr, reserved;
  const void *const *operands;  // host addresses, one per operand, which has the layout of its shape
  void *const *results;         // host addresses, one per result
} bp_call_t;
BP_FROZEN(bp_call_t, 32);

// Computes one instruction; complete on return. Calls may be concurrent; their results do not overlap.
// BP-KERNEL-01: a kernel writes every byte of every result and no other byte; it reads only operands, and modifies
//               none.
// BP-KERNEL-02: a kernel keeps no observable state: equal operands give equal results.
// [worker]
typedef bp_status(BP_ABI *bp_kernel)(const bp_device_t *device, const bp_call_t *call, const bp_diag_t *diag);

typedef struct bp_device_kernels {
  // Returns the kernel for this instruction, or null, so that the core runs it elsewhere. `diag` may then say why; the
  // reasons become the plugin's published support table.
  // BP-FIND-01: find() is pure: equal questions get equal answers as long as the device exists.
  // BP-FIND-02: find() is local: an answer depends only on the instruction, its attributes, the shapes and layouts of
  //             its operands and results, and its called computations; never on neighbours, indices, names or
  //             allocations.
  // BP-FIND-03: an answer of find() is binding: the kernel never returns BP_UNSUPPORTED.
  // [thread-safe]
  bp_kernel(BP_ABI *find)(const bp_device_t *device, const bp_module_t *module, uint32_t instr, const bp_diag_t *diag);
} bp_device_kernels_t;
BP_FROZEN(bp_device_kernels_t, 8);

#ifdef __cplusplus
}
#endif
