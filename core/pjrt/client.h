// The client: one backend of Backplane, its devices, and their memories.
#pragma once

#include <array>
#include <atomic>
#include <map>
#include <memory>

#include "core/backplane.h"
#include "core/pjrt/event.h"
#include "core/pjrt/handles.h"
#include "core/pjrt/pjrt_c_api.h"
#include "core/pjrt/run_queue.h"

namespace bp::pjrt {

// The bytes and number of a device's buffers. Shared with the buffers, which callers may destroy after the client.
struct MemoryUse {
  std::atomic<std::int64_t> bytes = 0, peak_bytes = 0, buffers = 0;
};

}  // namespace bp::pjrt

struct PJRT_DeviceDescription {
  int id = 0;
  std::string kind, text;
  std::vector<PJRT_NamedValue> attributes;
};

struct PJRT_Device {
  PJRT_Client *client = nullptr;
  bp::pjrt::Owned<PJRT_DeviceDescription> description = bp::pjrt::make_owned<PJRT_DeviceDescription>();
  std::vector<PJRT_Memory *> memories;  // by memory_kinds
  std::shared_ptr<bp::pjrt::MemoryUse> use = std::make_shared<bp::pjrt::MemoryUse>();
  bp::pjrt::Sequence run_ends;  // JAX asks for the last one only
  bp::pjrt::RunQueue runs;
};

namespace bp::pjrt {

// The kinds of memory that frameworks expect of a device, the default one first. The others are in the host's memory.
inline constexpr std::array<std::string_view, 3> memory_kinds = {"device", "pinned_host", "unpinned_host"};

struct OwnMemory : PJRT_Memory {
  PJRT_Device *device = nullptr;
  int id = 0;
  std::string kind, text;
  // Returns the device in whose memory its arrays are; nullptr: they are in the host's.
  std::shared_ptr<const bp::host::Device> array_device() const;
  std::mutex mutex;
  std::map<const void *, std::pair<void *, void (*)(void *)>> user_data;  // by key: the data and its destructor
  ~OwnMemory();
};

}  // namespace bp::pjrt

struct PJRT_TopologyDescription {
  PJRT_Client *client = nullptr;
};

struct PJRT_Client {
  explicit PJRT_Client(bp::Backend loaded) : backend(std::move(loaded)) { topology->client = this; }

  bp::Backend backend;
  std::shared_ptr<const bp::host::Device> device;  // nullptr: all arrays are in the host's memory
  std::string platform_name, platform_version;
  std::vector<bp::pjrt::Owned<bp::pjrt::OwnMemory>> own_memories;
  std::vector<PJRT_Device *> device_handles;
  std::vector<PJRT_Memory *> memory_handles;
  std::vector<PJRT_DeviceDescription *> description_handles;
  bp::pjrt::Owned<PJRT_TopologyDescription> topology = bp::pjrt::make_owned<PJRT_TopologyDescription>();
  // Last: their runs, for which they wait at the end, use the others.
  std::vector<bp::pjrt::Owned<PJRT_Device>> devices;
};

namespace bp::pjrt {

// Returns the memory that a caller names; the default one of the device if it names that; otherwise that of the first
// device.
Result<OwnMemory *> memory_of(PJRT_Client &client, PJRT_Device *device, PJRT_Memory *memory);
// Return the memory and the device of a handle. Fail if it is null, or its client was destroyed.
Result<OwnMemory *> find_memory(const PJRT_Memory *memory);
Result<PJRT_Device *> find_device(const PJRT_Device *device);

#define BP_PJRT_DECLARE(name) Status name(PJRT_##name##_Args &args)
BP_PJRT_DECLARE(Plugin_Initialize);
BP_PJRT_DECLARE(Plugin_Attributes);
BP_PJRT_DECLARE(Client_Create);
BP_PJRT_DECLARE(Client_Destroy);
BP_PJRT_DECLARE(Client_PlatformName);
BP_PJRT_DECLARE(Client_ProcessIndex);
BP_PJRT_DECLARE(Client_PlatformVersion);
BP_PJRT_DECLARE(Client_TopologyDescription);
BP_PJRT_DECLARE(Client_Devices);
BP_PJRT_DECLARE(Client_AddressableDevices);
BP_PJRT_DECLARE(Client_LookupDevice);
BP_PJRT_DECLARE(Client_LookupAddressableDevice);
BP_PJRT_DECLARE(Client_AddressableMemories);
BP_PJRT_DECLARE(Client_DefaultDeviceAssignment);
BP_PJRT_DECLARE(DeviceDescription_Id);
BP_PJRT_DECLARE(DeviceDescription_ProcessIndex);
BP_PJRT_DECLARE(DeviceDescription_Attributes);
BP_PJRT_DECLARE(DeviceDescription_Kind);
BP_PJRT_DECLARE(DeviceDescription_DebugString);
BP_PJRT_DECLARE(DeviceDescription_ToString);
BP_PJRT_DECLARE(Device_GetDescription);
BP_PJRT_DECLARE(Device_GetAttributes);
BP_PJRT_DECLARE(Device_IsAddressable);
BP_PJRT_DECLARE(Device_LocalHardwareId);
BP_PJRT_DECLARE(Device_AddressableMemories);
BP_PJRT_DECLARE(Device_DefaultMemory);
BP_PJRT_DECLARE(Device_MemoryStats);
BP_PJRT_DECLARE(Device_ClearMemoryStats);
BP_PJRT_DECLARE(Memory_Id);
BP_PJRT_DECLARE(Memory_Kind);
BP_PJRT_DECLARE(Memory_Kind_Id);
BP_PJRT_DECLARE(Memory_DebugString);
BP_PJRT_DECLARE(Memory_ToString);
BP_PJRT_DECLARE(Memory_AddressableByDevices);
BP_PJRT_DECLARE(TopologyDescription_Destroy);
BP_PJRT_DECLARE(TopologyDescription_PlatformName);
BP_PJRT_DECLARE(TopologyDescription_PlatformVersion);
BP_PJRT_DECLARE(TopologyDescription_GetDeviceDescriptions);
BP_PJRT_DECLARE(TopologyDescription_Attributes);

}  // namespace bp::pjrt
