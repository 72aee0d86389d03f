// Draft: memory that the device did not allocate, such as arrays of the application, files, and memory of other
// devices. It becomes a piece of memory like those of alloc(), and is used where it is: no byte is copied.
#pragma once
#include <stdint.h>

#include "../../base/status.h"
#include "../../device.h"
#include "../memory.h"

#ifdef __cplusplus
extern "C" {
#endif

static const char BP_EXT_EXTERNAL_MEMORY[] = "bp.external-memory/draft-1";

// Kinds of handles. HOST: `value` is an address in the memory of this process. FD: `value` is a descriptor of a file
// that can be mapped, such as a memfd, a dma-buf, or weights on a disk.
enum { BP_HANDLE_HOST = 0, BP_HANDLE_FD = 1 };

// Flags of a handle. READ_ONLY: nothing may write to the memory.
enum { BP_HANDLE_READ_ONLY = 1 };

// The bytes from `offset` to `offset + size` of what `value` stands for.
typedef struct bp_handle {
  uint32_t kind, flags;  // kind: BP_HANDLE_HOST or BP_HANDLE_FD; flags: BP_HANDLE_READ_ONLY or 0
  uint64_t value;
  uint64_t offset, size;  // bytes; the size is above 0
} bp_handle_t;
BP_FROZEN(bp_handle_t, 32);

// The abilities of one memory space. Bit k of a mask stands for handles of kind k.
typedef struct bp_external_support {
  uint32_t imports, exports;  // masks; never exports HOST, for which there is bp_memory.host
  uint32_t host_alignment;    // bytes, a power of two: of value + offset of a HOST handle that is imported
  uint32_t file_alignment;    // bytes, a power of two: of the offset of an FD handle that is imported
} bp_external_support_t;
BP_FROZEN(bp_external_support_t, 16);

typedef struct bp_device_external_memory {
  // By space of bp.memory/1; owned by the device, and the same from init() to destroy().
  const bp_external_support_t *support;

  // Makes memory that exists into a piece of a space. bp_device_memory.release() releases the piece, but not the
  // memory, which belongs to the caller and exists until then. `out` is written only on success.
  // BP-IMPORT-01: the piece is the memory itself: what the device writes is in the memory when the work is complete,
  //               and work that begins later reads what the host has written.
  // BP-IMPORT-02: the device never writes to READ_ONLY memory; a copy() to it returns BP_INVALID.
  // BP-IMPORT-03: the descriptor stays the caller's, who may close it after the call. release() gives back all that
  //               an import has taken: descriptors, mappings, pinned pages.
  // BP-IMPORT-04: a kind that is not in `imports` is BP_UNSUPPORTED. A size of 0, a wrong alignment, and bytes after
  //               the end of the file are BP_INVALID.
  // BP-IMPORT-05: an imported piece takes nothing of the capacity of its space.
  // [thread-safe]
  bp_status(BP_ABI *import_memory)(const bp_device_t *device, uint32_t space, const bp_handle_t *handle,
                                   bp_memory_t *out, const bp_diag_t *diag);

  // Makes a handle of a whole piece that alloc() returned, for other devices or processes. No work that uses the piece
  // is in flight. The caller closes the descriptor. `out` is written only on success.
  // BP-EXPORT-01: the handle stands for the memory of the piece itself, as in BP-IMPORT-01, and stays valid after
  //               release() of the piece, as long as it is open or mapped.
  // BP-EXPORT-02: a kind that is not in `exports` of the piece's space is BP_UNSUPPORTED. An export changes neither the
  //               content of the piece nor what is left of the space.
  // [thread-safe]
  bp_status(BP_ABI *export_memory)(const bp_device_t *device, uint64_t memory, uint32_t kind, bp_handle_t *out,
                                   const bp_diag_t *diag);
} bp_device_external_memory_t;
BP_FROZEN(bp_device_external_memory_t, 24);

#ifdef __cplusplus
}
#endif
