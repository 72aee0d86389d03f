// Buffers: arrays in the memory of a device.
#pragma once

#include <atomic>

#include "core/pjrt/client.h"
#include "core/pjrt/event.h"
#include "core/pjrt/host_array.h"

namespace bp::pjrt {

// The array that a buffer holds, which may still have to be computed. Shared by buffers, the runs that read it and
// external references. Threads: any.
class Content {
 public:
  // An array of this shape, for which provide() is called before `ready` is set without an error. Its bytes count as
  // in use as long as the content exists.
  Content(const ir::Shape &shape, std::shared_ptr<Moment> ready, std::shared_ptr<MemoryUse> use);
  Content(const Content &) = delete;
  ~Content();

  void provide(runtime::Value value);
  const std::shared_ptr<Moment> &ready() const { return ready_; }
  std::int64_t bytes() const { return bytes_; }
  // Waits until it is ready. Fails with what the computation failed with.
  Result<runtime::Value> value() const;
  // Returns the value, once it is ready. If nobody else has the content, nobody else has the value.
  static Result<runtime::Value> take(std::shared_ptr<Content> content);

 private:
  std::shared_ptr<Moment> ready_;
  runtime::Value value_;
  std::shared_ptr<MemoryUse> use_;
  std::int64_t bytes_ = 0;
};

}  // namespace bp::pjrt

struct PJRT_Buffer {
  PJRT_Client *client = nullptr;
  PJRT_Device *device = nullptr;
  bp::pjrt::OwnMemory *memory = nullptr;
  bool is_on_host = true;  // otherwise in memory of the device, if that has room
  bp::ir::Shape shape;
  std::vector<std::int64_t> sizes, minor_to_major;
  PJRT_Buffer_Type type = PJRT_Buffer_Type_INVALID;
  std::shared_ptr<bp::pjrt::Moment> ready;               // of the content
  std::shared_ptr<bp::pjrt::Content> content;            // nullptr after it was deleted or donated
  std::vector<std::shared_ptr<bp::pjrt::Content>> held;  // by external references
  std::mutex mutex;                                      // of `content` and `held`
};

namespace bp::pjrt {

// Return a handle, which the caller destroys; the shape has the layout that callers see. The first function places the
// value in the memory; the second one's array is that which `ready` announces.
Result<PJRT_Buffer *> make_buffer(OwnMemory &memory, const ir::Shape &shape, ir::Literal value);
PJRT_Buffer *make_buffer(OwnMemory &memory, const ir::Shape &shape, std::shared_ptr<Moment> ready);

// Returns what a buffer holds, which may not be ready. Fails if the buffer was deleted.
Result<std::shared_ptr<Content>> content_of(PJRT_Buffer &buffer);
// Takes it from the buffer, which is deleted.
std::shared_ptr<Content> give_up(PJRT_Buffer &buffer);

// Returns the value in memory of the device, or for nullptr in the host's: a copy if it is elsewhere. It stays on the
// host if the device has no room for it.
Result<runtime::Value> value_on(const std::shared_ptr<const host::Device> &device, runtime::Value value);
// Makes a content what another one will be, in memory of the device or in the host's.
void follow(const std::shared_ptr<Content> &follower, const std::shared_ptr<Content> &content,
            std::shared_ptr<const host::Device> device);

BP_PJRT_DECLARE(Client_BufferFromHostBuffer);
BP_PJRT_DECLARE(Client_CreateViewOfDeviceBuffer);
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
BP_PJRT_DECLARE(Buffer_CopyRawToHostFuture);
BP_PJRT_DECLARE(Buffer_IsOnCpu);
BP_PJRT_DECLARE(Buffer_ReadyEvent);
BP_PJRT_DECLARE(Buffer_UnsafePointer);
BP_PJRT_DECLARE(Buffer_IncreaseExternalReferenceCount);
BP_PJRT_DECLARE(Buffer_DecreaseExternalReferenceCount);
BP_PJRT_DECLARE(Buffer_OpaqueDeviceMemoryDataPointer);

}  // namespace bp::pjrt
