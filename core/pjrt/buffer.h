// Buffers: arrays in the memory of a device.
#pragma once

#include <atomic>

#include "core/pjrt/client.h"
#include "core/pjrt/event.h"

namespace bp::pjrt {

// The bytes that a buffer adds to what its device has in use, until it is released.
class Footprint {
 public:
  Footprint() = default;
  Footprint(std::shared_ptr<MemoryUse> use, std::int64_t bytes);
  Footprint(const Footprint &) = delete;
  Footprint &operator=(Footprint &&other) noexcept;
  ~Footprint() { release(); }
  void release();

 private:
  std::shared_ptr<MemoryUse> use_;
  std::int64_t bytes_ = 0;
};

}  // namespace bp::pjrt

struct PJRT_Buffer {
  PJRT_Client *client = nullptr;
  PJRT_Device *device = nullptr;
  bp::pjrt::OwnMemory *memory = nullptr;
  bp::ir::Shape shape;
  std::vector<std::int64_t> sizes, minor_to_major;
  PJRT_Buffer_Type type = PJRT_Buffer_Type_INVALID;
  // The value, once `ready` is set without an error; nullptr after it was given up.
  std::shared_ptr<const bp::ir::Literal> value;
  std::shared_ptr<bp::pjrt::Moment> ready;
  std::vector<std::shared_ptr<const bp::ir::Literal>> held;  // by external references
  bp::pjrt::Footprint footprint;                             // of `value`
  std::mutex mutex;                                          // of `value`, `held` and `footprint`

  // Gives up the value. The mutex must be held.
  void give_up() {
    value = nullptr;
    footprint.release();
  }
};

namespace bp::pjrt {

// The types of PJRT and of Backplane; INVALID and Invalid if there is none.
PJRT_Buffer_Type buffer_type(ir::ElementType type);
ir::ElementType element_type(PJRT_Buffer_Type type);

// Extends elements narrower than a byte, which come with anything in the bits that they do not use.
void extend(ir::Literal &literal);

// Returns a handle, which the caller destroys.
PJRT_Buffer *make_buffer(OwnMemory &memory, const ir::Literal &value);

// Returns the value of a buffer, once it is there. Fails if it was deleted, or if computing it failed.
Result<std::shared_ptr<const ir::Literal>> value_of(PJRT_Buffer &buffer);

BP_PJRT_DECLARE(Client_BufferFromHostBuffer);
BP_PJRT_DECLARE(Client_CreateUninitializedBuffer);
BP_PJRT_DECLARE(Buffer_Destroy);
BP_PJRT_DECLARE(Buffer_ElementType);
BP_PJRT_DECLARE(Buffer_Dimensions);
BP_PJRT_DECLARE(Buffer_UnpaddedDimensions);
BP_PJRT_DECLARE(Buffer_DynamicDimensionIndices);
BP_PJRT_DECLARE(Buffer_GetMemoryLayout);
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
