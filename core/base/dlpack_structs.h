/* The structs of DLPack 1.1, in which libraries hand arrays to each other without a copy, as its specification states
 * them (https://dmlc.github.io/dlpack/latest/c_api.html). C and C++. The guard is that of DLPack's own header:
 * whichever a program includes first is used. Installed as backplane/dlpack.h. */
#ifndef DLPACK_DLPACK_H_
#define DLPACK_DLPACK_H_
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DLPACK_MAJOR_VERSION 1
#define DLPACK_MINOR_VERSION 1

/* A reader accepts every minor version of its major version. */
typedef struct {
  uint32_t major, minor;
} DLPackVersion;

/* Where an array is; of the closed list, those that Backplane reads and writes. ExtDev: memory of a device for which
 * DLPack has no type. */
typedef enum { kDLCPU = 1, kDLExtDev = 12 } DLDeviceType;
typedef struct {
  DLDeviceType device_type;
  int32_t device_id;
} DLDevice;

typedef enum {
  kDLInt = 0,
  kDLUInt = 1,
  kDLFloat = 2,
  kDLOpaqueHandle = 3,
  kDLBfloat = 4,
  kDLComplex = 5,
  kDLBool = 6,
  kDLFloat8_e3m4 = 7,
  kDLFloat8_e4m3 = 8,
  kDLFloat8_e4m3b11fnuz = 9,
  kDLFloat8_e4m3fn = 10,
  kDLFloat8_e4m3fnuz = 11,
  kDLFloat8_e5m2 = 12,
  kDLFloat8_e5m2fnuz = 13,
  kDLFloat8_e8m0fnu = 14,
  kDLFloat6_e2m3fn = 15,
  kDLFloat6_e3m2fn = 16,
  kDLFloat4_e2m1fn = 17
} DLDataTypeCode;
typedef struct {
  uint8_t code; /* DLDataTypeCode */
  uint8_t bits;
  uint16_t lanes; /* 1, unless elements are vectors */
} DLDataType;

typedef struct {
  void *data; /* an address; for kDLExtDev, what its owner knows */
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t *shape;
  int64_t *strides; /* in elements; null: row-major without gaps */
  uint64_t byte_offset;
} DLTensor;

/* An array with its owner: deleter(self) is called once, when nobody uses the array any more; it may be null. */
typedef struct DLManagedTensor {
  DLTensor dl_tensor;
  void *manager_ctx;
  void (*deleter)(struct DLManagedTensor *self);
} DLManagedTensor;

#define DLPACK_FLAG_BITMASK_READ_ONLY (1UL << 0UL)
#define DLPACK_FLAG_BITMASK_IS_COPIED (1UL << 1UL)
#define DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED (1UL << 2UL) /* elements of fewer than 8 bits take a byte each */

/* The same with a version, since DLPack 1.0. */
typedef struct DLManagedTensorVersioned {
  DLPackVersion version; /* read first */
  void *manager_ctx;
  void (*deleter)(struct DLManagedTensorVersioned *self);
  uint64_t flags;
  DLTensor dl_tensor;
} DLManagedTensorVersioned;

#ifdef __cplusplus
}
#endif
#endif
