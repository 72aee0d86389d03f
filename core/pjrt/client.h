// The client: one backend of Backplane, its devices, and their memories.
#pragma once

#include <deque>
#include <map>
#include <memory>

#include "core/backplane.h"
#include "core/pjrt/handles.h"
#include "core/pjrt/pjrt_c_api.h"

struct PJRT_DeviceDescription {
  int id = 0;
  std::string kind, text;
  std::vector<PJRT_NamedValue> attributes;
};

struct PJRT_Device {
  PJRT_Client *client = nullptr;
  PJRT_DeviceDescription description;
  std::vector<PJRT_Memory *> memories;  // the default one first
};

namespace bp::pjrt {

// The memory kind that frameworks expect of the default memory of a device.
inline constexpr std::string_view device_memory = "device";

struct OwnMemory : PJRT_Memory {
  PJRT_Device *device = nullptr;
  int id = 0;
  std::string kind, text;
  std::mutex mutex;
  std::map<const void *, std::pair<void *, void (*)(void *)>> user_data;  // by key: the data and its destructor
  ~OwnMemory();
};

}  // namespace bp::pjrt

struct PJRT_TopologyDescription {
  PJRT_Client *client = nullptr;
};

struct PJRT_Client {
  explicit PJRT_Client(bp::Backend loaded) : backend(std::move(loaded)) {}

  bp::Backend backend;
  std::string platform_name, platform_version;
  std::deque<PJRT_Device> devices;
  std::deque<bp::pjrt::OwnMemory> own_memories;
  std::vector<PJRT_Device *> device_handles;
  std::vector<PJRT_Memory *> memory_handles;
  std::vector<PJRT_DeviceDescription *> description_handles;
  PJRT_TopologyDescription topology{this};
};

namespace bp::pjrt {

// Returns the device that a caller names by itself or by a memory; the first one if it names none.
Result<PJRT_Device *> device_of(PJRT_Client &client, PJRT_Device *device, PJRT_Memory *memory);
Result<OwnMemory *> find_memory(PJRT_Client &client, PJRT_Memory *memory);

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
