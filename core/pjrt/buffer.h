// Buffers: arrays in the memory of a device.
#pragma once

#include <atomic>

#include "core/pjrt/client.h"
#include "core/pjrt/event.h"

struct PJRT_Buffer {
  PJRT_Client *client = nullptr;
  PJRT_Device *device = nullptr;
  bp::ir::Shape shape;
  std::vector<std::int64_t> sizes;
  PJRT_Buffer_Type type = PJRT_Buffer_Type_INVALID;
  // The value, once `ready` is set without an error; nullptr after it was given up.
  std::shared_ptr<const bp::ir::Literal> value;
  std::shared_ptr<bp::pjrt::Moment> ready;
  std::vector<std::shared_ptr<const bp::ir::Literal>> held;  // by external references
  std::mutex mutex;                                          // of `value` and `held`
};

namespace bp::pjrt {

// The types of PJRT and of Backplane; INVALID and Invalid if there is none.
PJRT_Buffer_Type buffer_type(ir::ElementType type);
ir::ElementType element_type(PJRT_Buffer_Type type);

// Returns a handle, which the caller destroys.
PJRT_Buffer *make_buffer(PJRT_Client *client, PJRT_Device *device, const ir::Literal &value);

// Returns the value of a buffer, once it is there. Fails if it was deleted, or if computing it failed.
Result<std::shared_ptr<const ir::Literal>> value_of(PJRT_Buffer &buffer);

BP_PJRT_DECLARE(Client_BufferFromHostBuffer);
BP_PJRT_DECLARE(Client_CreateUninitializedBuffer);
BP_PJRT_DECLARE(Buffer_Destroy);
BP_PJRT_DECLARE(Buffer_ElementType);
BP_PJRT_DECLARE(Buffer_Dimensions);
BP_PJRT_DECLARE(Buffer_UnpaddedDimensions);
BP_PJRT_DECLARE(Buffer_DynamicDimensionIndices);
BP_PJRT_DECLARE(Buffer_OnDeviceSizeInBytes);
BP_PJRT_DECLARE(Buffer_Device);
BP_PJRT_DECLARE(Buffer_Memory);
BP_PJRT_DECLARE(Buffer_Delete);
BP_PJRT_DECLARE(Buffer_IsDeleted);
BP_PJRT_DECLARE(Buffer_CopyToDevice);
BP_PJRT_DECLARE(Buffer_CopyToMemory);
BP_PJRT_DECLARE(Buffer_ToHostBuffer);
BP_PJRT_DECLARE(Buffer_CopyRawToHost);
BP_PJRT_DECLARE(Buffer_IsOnCpu);
BP_PJRT_DECLARE(Buffer_ReadyEvent);
BP_PJRT_DECLARE(Buffer_UnsafePointer);
BP_PJRT_DECLARE(Buffer_IncreaseExternalReferenceCount);
BP_PJRT_DECLARE(Buffer_DecreaseExternalReferenceCount);
BP_PJRT_DECLARE(Buffer_OpaqueDeviceMemoryDataPointer);

}  // namespace bp::pjrt
