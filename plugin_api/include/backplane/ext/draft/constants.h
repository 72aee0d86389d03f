// Draft: a service of the host for compile(): the content of constants. Weights can be packed, transposed, quantized or
// analyzed once, ahead of time, and what comes of it is part of the artifact.
//
// Without the service, compile() sees the content of small constants only (BP_ATTR_VALUE), and load() that of all. The
// module states the SHA-256 of each content (bp_allocation.content), and bp_module.hash is about that, too. So what
// compile() does with a content still depends on nothing but the module: it stays pure (BP-COMPILE-01), equal hashes
// mean equal contents, and the keys of caches stay right. For the same reason, an artifact that was made without the
// service may be used in place of one that was made with it, and the other way round.
//
// load() gets the location of each constant as ever. If the artifact has all that the program needs of one, load() sets
// taken[i] without reading it, and the core frees its copy.
#pragma once
#include <stdint.h>

#include "../../base/status.h"
#include "../../host.h"

#ifdef __cplusplus
extern "C" {
#endif

static const char BP_EXT_CONSTANTS[] = "bp.constants/draft-1";

typedef struct bp_host_constants {
  // Returns the content of a constant of the module that compile() got: *size bytes at *data, which is aligned to 64.
  // `diag` is the one that was passed to compile(), `allocation` an index in the module's allocations. The bytes belong
  // to the host. The first question for a content may take the time to arrange it; later ones get the same bytes.
  // Returns BP_UNSUPPORTED if the host does not have the contents for this call, as when it has the module alone, and
  // the plugin then does without; BP_INVALID if the allocation is no constant; BP_NO_MEMORY if there is no memory to
  // arrange it. *data and *size are written only on success.
  // BP-CONSTANT-01: content() is called only during compile(), with the `diag` of that call, and for allocations of
  //                 kind BP_ALLOC_CONSTANT.
  // BP-CONSTANT-02: the plugin does not write to the bytes, and does not read them after compile() has returned.
  // BP-CONSTANT-03: the program computes the same results, bit by bit, whether its artifact was made with the service
  //                 or without it. Neither artifact needs the service to be loaded or run.
  // BP-CONSTANT-04: the bytes are those that load() gets at the location of the same allocation: *size is
  //                 bp_allocation.size, the layout is that of the constant's shape, padding is 0, and their SHA-256 is
  //                 bp_allocation.content.
  // [thread-safe]
  bp_status(BP_ABI *content)(const bp_host_t *host, const bp_diag_t *diag, uint32_t allocation, const void **data,
                             uint64_t *size);
} bp_host_constants_t;
BP_FROZEN(bp_host_constants_t, 8);

#ifdef __cplusplus
}
#endif
