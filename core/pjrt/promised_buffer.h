// Buffers whose value the caller brings later, in pieces, or never.
#pragma once

#include "core/pjrt/buffer.h"

// A list of buffers that the caller fills from the host's memory.
struct PJRT_AsyncHostToDeviceTransferManager {
  struct Transfer {
    PJRT_Buffer *buffer = nullptr;  // nullptr after the caller has retrieved it
    std::shared_ptr<bp::pjrt::Content> content;
    bp::ir::Literal value;  // the bytes so far
    bool is_ready = false;
  };

  PJRT_Device *device = nullptr;
  std::shared_ptr<const bp::host::Device> array_device;  // nullptr: the arrays are to be on the host
  std::vector<Transfer> transfers;
  std::mutex mutex;  // of the transfers

  // Buffers that are not complete fail; those that were not retrieved are destroyed.
  ~PJRT_AsyncHostToDeviceTransferManager();
};

// The promise of an alias buffer, which stands for another one that does not exist yet.
struct PJRT_FulfillAliasBufferCallback {
  std::shared_ptr<bp::pjrt::Content> content;
  std::shared_ptr<const bp::host::Device> array_device;  // nullptr: the array is to be on the host
};

namespace bp::pjrt {

BP_PJRT_DECLARE(Client_CreateBuffersForAsyncHostToDevice);
BP_PJRT_DECLARE(AsyncHostToDeviceTransferManager_Destroy);
BP_PJRT_DECLARE(AsyncHostToDeviceTransferManager_TransferData);
BP_PJRT_DECLARE(AsyncHostToDeviceTransferManager_TransferLiteral);
BP_PJRT_DECLARE(AsyncHostToDeviceTransferManager_RetrieveBuffer);
BP_PJRT_DECLARE(AsyncHostToDeviceTransferManager_Device);
BP_PJRT_DECLARE(AsyncHostToDeviceTransferManager_BufferCount);
BP_PJRT_DECLARE(AsyncHostToDeviceTransferManager_BufferSize);
BP_PJRT_DECLARE(AsyncHostToDeviceTransferManager_SetBufferError);
BP_PJRT_DECLARE(AsyncHostToDeviceTransferManager_AddMetadata);
BP_PJRT_DECLARE(Client_CreateErrorBuffer);
BP_PJRT_DECLARE(Client_CreateAliasBuffer);
BP_PJRT_DECLARE(Client_FulfillAliasBuffer);

}  // namespace bp::pjrt
