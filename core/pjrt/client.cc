#include "core/pjrt/client.h"

#include <algorithm>
#include <boost/lexical_cast/try_lexical_convert.hpp>
#include <cstdlib>
#include <thread>

#include "core/host/build_configuration.h"
#include "core/import/stablehlo/bytecode/vhlo.h"
#include "core/pjrt/args.h"

namespace bp::pjrt {
namespace {

constexpr int max_devices = 1024;

PJRT_NamedValue named(std::string_view name, PJRT_NamedValue_Type type) {
  PJRT_NamedValue value{};
  value.struct_size = sizeof(PJRT_NamedValue);
  value.name = name.data();
  value.name_size = name.size();
  value.type = type;
  value.value_size = 1;
  return value;
}

template <std::size_t size>
PJRT_NamedValue version(std::string_view name, const std::int64_t (&numbers)[size]) {
  PJRT_NamedValue value = named(name, PJRT_NamedValue_Type_Int64List);
  value.int64_array_value = numbers;
  value.value_size = size;
  return value;
}

void *get_user_data(PJRT_Memory *memory, const void *key) {
  auto &own = static_cast<OwnMemory &>(*memory);
  const std::lock_guard lock(own.mutex);
  const auto found = own.user_data.find(key);
  return found == own.user_data.end() ? nullptr : found->second.first;
}

void set_user_data(PJRT_Memory *memory, const void *key, void *data, void (*destructor)(void *)) {
  auto &own = static_cast<OwnMemory &>(*memory);
  const std::lock_guard lock(own.mutex);
  auto &slot = own.user_data[key];
  if (slot.second != nullptr) {
    slot.second(slot.first);
  }
  slot = {data, destructor};
}

const PJRT_Memory_FunctionTable memory_table = {sizeof(PJRT_Memory_FunctionTable), nullptr, sizeof(OwnMemory),
                                                get_user_data, set_user_data};

// The options of a client: backend (a name or a path), num_devices, platform_name and threads; others are settings of
// the backend.
struct ClientOptions {
  std::string backend = "cpu";
  std::string platform = "backplane";
  int num_devices = 1;
  std::uint32_t threads = 0;  // see BackendOptions::thread_count
  std::vector<std::pair<std::string, std::string>> settings;
};

std::string text_of(const PJRT_NamedValue &value) {
  switch (value.type) {
    case PJRT_NamedValue_Type_String: return std::string(value.string_value, value.value_size);
    case PJRT_NamedValue_Type_Int64: return fmt::format("{}", value.int64_value);
    case PJRT_NamedValue_Type_Float: return fmt::format("{}", value.float_value);
    case PJRT_NamedValue_Type_Bool: return value.bool_value ? "true" : "false";
    case PJRT_NamedValue_Type_Int64List: break;
  }
  return fmt::format("{}", fmt::join(value.int64_array_value, value.int64_array_value + value.value_size, ","));
}

Result<ClientOptions> read_options(const PJRT_Client_Create_Args &args) {
  ClientOptions options;
  if (const char *name = std::getenv("BACKPLANE_BACKEND"); name != nullptr && *name != '\0') {
    options.backend = name;
  }
  for (std::size_t i = 0; i < args.num_options; ++i) {
    const PJRT_NamedValue &option = args.create_options[i];
    const std::string name(option.name, option.name_size), value = text_of(option);
    if (name == "backend") {
      options.backend = value;
    } else if (name == "platform_name") {
      options.platform = value;
    } else if (name == "num_devices") {
      options.num_devices = std::atoi(value.c_str());
      if (options.num_devices < 1 || options.num_devices > max_devices) {
        return invalid_input("the option num_devices is {}, expected 1 to {}", value, max_devices);
      }
    } else if (name == "threads") {
      const bool is_number = boost::conversion::try_lexical_convert(value, options.threads);
      if (!is_number || value.starts_with('-') || options.threads > BackendOptions::max_threads) {
        return invalid_input("the option threads is {}, expected 0 to {}", value, BackendOptions::max_threads);
      }
    } else {
      options.settings.emplace_back(name, value);
    }
  }
  return options;
}

// The name of a backend, which may be given as the path of its plugin.
std::string name_of(std::string_view backend) {
  constexpr std::string_view prefix = "libbackplane_", suffix = ".so";
  backend = backend.substr(backend.rfind('/') + 1);
  backend.remove_prefix(backend.starts_with(prefix) ? prefix.size() : 0);
  backend.remove_suffix(backend.ends_with(suffix) ? suffix.size() : 0);
  return std::string(backend);
}

void add_device(PJRT_Client &client, int id, const std::string &backend) {
  PJRT_Device &device = *client.devices.emplace_back(make_owned<PJRT_Device>());
  device.client = &client;
  device.description->id = id;
  device.description->kind = backend;
  device.description->text = fmt::format("BackplaneDevice(id={}, backend={})", id, backend);
  for (const std::string_view kind : memory_kinds) {
    OwnMemory &memory = *client.own_memories.emplace_back(make_owned<OwnMemory>());
    memory.vtable = &memory_table;
    memory.device = &device;
    memory.id = static_cast<int>(client.own_memories.size()) - 1;
    memory.kind = kind;
    memory.text = fmt::format("BackplaneMemory(id={}, device={}, kind={})", memory.id, id, kind);
    device.memories.push_back(&memory);
    client.memory_handles.push_back(&memory);
  }
  client.device_handles.push_back(&device);
  client.description_handles.push_back(device.description.get());
}

Result<PJRT_DeviceDescription *> find(const PJRT_DeviceDescription *description) {
  return handles<PJRT_DeviceDescription>().find(description);
}

Result<PJRT_TopologyDescription *> find(const PJRT_TopologyDescription *topology) {
  return handles<PJRT_TopologyDescription>().find(topology);
}

template <class Args>
void set_text(Args &args, const char *Args::*text, size_t Args::*size, const std::string &value) {
  set(args, text, value.c_str());
  set(args, size, value.size());
}

}  // namespace

template <>
Handles<PJRT_Client> &handles<PJRT_Client>() {
  static auto &all = *new Handles<PJRT_Client>("PJRT_Client");
  return all;
}

template <>
Handles<PJRT_Device> &handles<PJRT_Device>() {
  static auto &all = *new Handles<PJRT_Device>("PJRT_Device");
  return all;
}

template <>
Handles<PJRT_DeviceDescription> &handles<PJRT_DeviceDescription>() {
  static auto &all = *new Handles<PJRT_DeviceDescription>("PJRT_DeviceDescription");
  return all;
}

template <>
Handles<OwnMemory> &handles<OwnMemory>() {
  static auto &all = *new Handles<OwnMemory>("PJRT_Memory");
  return all;
}

template <>
Handles<PJRT_TopologyDescription> &handles<PJRT_TopologyDescription>() {
  static auto &all = *new Handles<PJRT_TopologyDescription>("PJRT_TopologyDescription");
  return all;
}

std::shared_ptr<const host::Device> OwnMemory::array_device() const {
  return kind == memory_kinds.front() ? device->client->device : nullptr;
}

OwnMemory::~OwnMemory() {
  for (const auto &[key, data] : user_data) {
    if (data.second != nullptr) {
      data.second(data.first);
    }
  }
}

Result<OwnMemory *> find_memory(const PJRT_Memory *memory) {
  return handles<OwnMemory>().find(static_cast<const OwnMemory *>(memory));
}

Result<PJRT_Device *> find_device(const PJRT_Device *device) {
  return handles<PJRT_Device>().find(device);
}

Result<OwnMemory *> memory_of(PJRT_Client &client, PJRT_Device *device, PJRT_Memory *memory) {
  if (memory == nullptr && device == nullptr) {
    return client.own_memories.front().get();
  }
  if (memory == nullptr) {
    BP_ASSIGN(const PJRT_Device *found, find_device(device));
    memory = found->memories.front();
  }
  BP_ASSIGN(OwnMemory * found, find_memory(memory));
  if (found->device->client != &client) {
    return invalid_input("{} is not one of this client", found->text);
  }
  return found;
}

Status Plugin_Initialize(PJRT_Plugin_Initialize_Args &) {
  return {};
}

// The versions of StableHLO that are read: frameworks store programs as the newest of them.
Status Plugin_Attributes(PJRT_Plugin_Attributes_Args &args) {
  using import::stablehlo::bytecode::newest_version, import::stablehlo::bytecode::oldest_version;
  static constexpr std::int64_t current[] = {newest_version.major_number, newest_version.minor_number,
                                             newest_version.patch},
                                minimum[] = {oldest_version.major_number, oldest_version.minor_number,
                                             oldest_version.patch};
  static const PJRT_NamedValue attributes[] = {
      version("stablehlo_current_version", current), version("stablehlo_minimum_version", minimum), [] {
        PJRT_NamedValue value = named("xla_version", PJRT_NamedValue_Type_Int64);
        value.int64_value = 2;
        return value;
      }()};
  set(args, &PJRT_Plugin_Attributes_Args::attributes, attributes);
  set(args, &PJRT_Plugin_Attributes_Args::num_attributes, std::size(attributes));
  return {};
}

// --- Client ---

namespace {

// Returns the ids of the devices that share programs, whatever the name was by which they were loaded.
std::string ids_of(const Backend &backend) {
  std::string ids;
  for (const auto &device : backend.devices()) {
    ids += (ids.empty() ? "" : ",") + std::string(device->id());
  }
  return backend.is_interpreter() ? backend.name() : ids;
}

}  // namespace

Status Client_Create(PJRT_Client_Create_Args &args) {
  BP_ASSIGN(const ClientOptions options, read_options(args));
  BackendOptions backend;
  backend.settings = options.settings;
  backend.thread_count = options.threads;
  auto loaded = Backend::load(options.backend, backend);
  if (!loaded.ok()) {
    return std::move(loaded).error().note(fmt::format(
        "while loading the backend '{}', which BACKPLANE_BACKEND or the client's option names", options.backend));
  }
  auto client = std::make_unique<PJRT_Client>(std::move(loaded).value());
  const auto devices = client->backend.devices();
  if (devices.size() == 1 && devices[0]->memory() != nullptr && devices[0]->compiler() != nullptr) {
    client->device = devices[0];
  }
  client->platform_name = options.platform;
  client->platform_version = fmt::format("Backplane {} ({})", host::core_version, ids_of(client->backend));
  for (int i = 0; i < options.num_devices; ++i) {
    add_device(*client, i, name_of(options.backend));
  }
  args.client = handles<PJRT_Client>().add(std::move(client));
  return {};
}

Status Client_Destroy(PJRT_Client_Destroy_Args &args) {
  if (args.client == nullptr) {
    return {};
  }
  BP_ASSIGN(auto client, handles<PJRT_Client>().take(args.client));
  if (RunQueue::is_in_run()) {
    std::thread([last = std::move(client)] {}).detach();  // the client waits for this run
  }
  return {};
}

Status Client_PlatformName(PJRT_Client_PlatformName_Args &args) {
  using Args = PJRT_Client_PlatformName_Args;
  BP_ASSIGN(const PJRT_Client *client, handles<PJRT_Client>().find(args.client));
  set_text(args, &Args::platform_name, &Args::platform_name_size, client->platform_name);
  return {};
}

Status Client_ProcessIndex(PJRT_Client_ProcessIndex_Args &args) {
  set(args, &PJRT_Client_ProcessIndex_Args::process_index, 0);
  return {};
}

Status Client_PlatformVersion(PJRT_Client_PlatformVersion_Args &args) {
  using Args = PJRT_Client_PlatformVersion_Args;
  BP_ASSIGN(const PJRT_Client *client, handles<PJRT_Client>().find(args.client));
  set_text(args, &Args::platform_version, &Args::platform_version_size, client->platform_version);
  return {};
}

Status Client_TopologyDescription(PJRT_Client_TopologyDescription_Args &args) {
  BP_ASSIGN(PJRT_Client * client, handles<PJRT_Client>().find(args.client));
  args.topology = client->topology.get();
  return {};
}

Status Client_Devices(PJRT_Client_Devices_Args &args) {
  BP_ASSIGN(const PJRT_Client *client, handles<PJRT_Client>().find(args.client));
  set(args, &PJRT_Client_Devices_Args::devices, client->device_handles.data());
  set(args, &PJRT_Client_Devices_Args::num_devices, client->device_handles.size());
  return {};
}

Status Client_AddressableDevices(PJRT_Client_AddressableDevices_Args &args) {
  using Args = PJRT_Client_AddressableDevices_Args;
  BP_ASSIGN(const PJRT_Client *client, handles<PJRT_Client>().find(args.client));
  set(args, &Args::addressable_devices, client->device_handles.data());
  set(args, &Args::num_addressable_devices, client->device_handles.size());
  return {};
}

namespace {

Result<PJRT_Device *> lookup(const PJRT_Client &client, int id) {
  if (id < 0 || static_cast<std::size_t>(id) >= client.device_handles.size()) {
    return make_error(ErrorCode::NotFound, "there is no device {}, expected 0 to {}", id,
                      client.device_handles.size() - 1);
  }
  return client.device_handles[static_cast<std::size_t>(id)];
}

}  // namespace

Status Client_LookupDevice(PJRT_Client_LookupDevice_Args &args) {
  BP_ASSIGN(const PJRT_Client *client, handles<PJRT_Client>().find(args.client));
  BP_ASSIGN(args.device, lookup(*client, args.id));
  return {};
}

Status Client_LookupAddressableDevice(PJRT_Client_LookupAddressableDevice_Args &args) {
  BP_ASSIGN(const PJRT_Client *client, handles<PJRT_Client>().find(args.client));
  BP_ASSIGN(args.addressable_device, lookup(*client, args.local_hardware_id));
  return {};
}

Status Client_AddressableMemories(PJRT_Client_AddressableMemories_Args &args) {
  using Args = PJRT_Client_AddressableMemories_Args;
  BP_ASSIGN(const PJRT_Client *client, handles<PJRT_Client>().find(args.client));
  set(args, &Args::addressable_memories, client->memory_handles.data());
  set(args, &Args::num_addressable_memories, client->memory_handles.size());
  return {};
}

Status Client_DefaultDeviceAssignment(PJRT_Client_DefaultDeviceAssignment_Args &args) {
  BP_ASSIGN(const PJRT_Client *client, handles<PJRT_Client>().find(args.client));
  const auto needed = static_cast<std::size_t>(std::max(args.num_replicas, 0)) *
                      static_cast<std::size_t>(std::max(args.num_partitions, 0));
  if (needed > client->devices.size() || needed > args.default_assignment_size) {
    return invalid_input("{} replicas of {} partitions for {} devices", args.num_replicas, args.num_partitions,
                         client->devices.size());
  }
  for (std::size_t i = 0; i < needed; ++i) {
    args.default_assignment[i] = static_cast<int>(i);
  }
  return {};
}

// --- Devices ---

Status DeviceDescription_Id(PJRT_DeviceDescription_Id_Args &args) {
  BP_ASSIGN(const PJRT_DeviceDescription *description, find(args.device_description));
  args.id = description->id;
  return {};
}

Status DeviceDescription_ProcessIndex(PJRT_DeviceDescription_ProcessIndex_Args &args) {
  BP_TRY(find(args.device_description));
  args.process_index = 0;
  return {};
}

Status DeviceDescription_Attributes(PJRT_DeviceDescription_Attributes_Args &args) {
  BP_ASSIGN(const PJRT_DeviceDescription *description, find(args.device_description));
  set(args, &PJRT_DeviceDescription_Attributes_Args::attributes, description->attributes.data());
  set(args, &PJRT_DeviceDescription_Attributes_Args::num_attributes, description->attributes.size());
  return {};
}

Status DeviceDescription_Kind(PJRT_DeviceDescription_Kind_Args &args) {
  using Args = PJRT_DeviceDescription_Kind_Args;
  BP_ASSIGN(const PJRT_DeviceDescription *description, find(args.device_description));
  set_text(args, &Args::device_kind, &Args::device_kind_size, description->kind);
  return {};
}

Status DeviceDescription_DebugString(PJRT_DeviceDescription_DebugString_Args &args) {
  using Args = PJRT_DeviceDescription_DebugString_Args;
  BP_ASSIGN(const PJRT_DeviceDescription *description, find(args.device_description));
  set_text(args, &Args::debug_string, &Args::debug_string_size, description->text);
  return {};
}

Status DeviceDescription_ToString(PJRT_DeviceDescription_ToString_Args &args) {
  using Args = PJRT_DeviceDescription_ToString_Args;
  BP_ASSIGN(const PJRT_DeviceDescription *description, find(args.device_description));
  set_text(args, &Args::to_string, &Args::to_string_size, description->text);
  return {};
}

Status Device_GetDescription(PJRT_Device_GetDescription_Args &args) {
  BP_ASSIGN(PJRT_Device * device, find_device(args.device));
  args.device_description = device->description.get();
  return {};
}

// The attributes live as long as the client; the deleter must be there all the same.
Status Device_GetAttributes(PJRT_Device_GetAttributes_Args &args) {
  using Args = PJRT_Device_GetAttributes_Args;
  BP_ASSIGN(PJRT_Device * device, find_device(args.device));
  set(args, &Args::attributes, device->description->attributes.data());
  set(args, &Args::num_attributes, device->description->attributes.size());
  set(args, &Args::device_attributes, nullptr);
  set(args, &Args::attributes_deleter, [](PJRT_Device_Attributes *) {});
  return {};
}

Status Device_IsAddressable(PJRT_Device_IsAddressable_Args &args) {
  BP_TRY(find_device(args.device));
  args.is_addressable = true;
  return {};
}

Status Device_LocalHardwareId(PJRT_Device_LocalHardwareId_Args &args) {
  BP_ASSIGN(const PJRT_Device *device, find_device(args.device));
  args.local_hardware_id = device->description->id;
  return {};
}

Status Device_AddressableMemories(PJRT_Device_AddressableMemories_Args &args) {
  BP_ASSIGN(PJRT_Device * device, find_device(args.device));
  set(args, &PJRT_Device_AddressableMemories_Args::memories, device->memories.data());
  set(args, &PJRT_Device_AddressableMemories_Args::num_memories, device->memories.size());
  return {};
}

Status Device_DefaultMemory(PJRT_Device_DefaultMemory_Args &args) {
  BP_ASSIGN(const PJRT_Device *device, find_device(args.device));
  args.memory = device->memories.front();
  return {};
}

// The buffers of the device. The memory of programs is not included.
Status Device_MemoryStats(PJRT_Device_MemoryStats_Args &args) {
  using Args = PJRT_Device_MemoryStats_Args;
  BP_ASSIGN(const PJRT_Device *device, find_device(args.device));
  set(args, &Args::bytes_in_use, device->use->bytes.load());
  set(args, &Args::peak_bytes_in_use, device->use->peak_bytes.load());
  set(args, &Args::peak_bytes_in_use_is_set, true);
  set(args, &Args::num_allocs, device->use->buffers.load());
  set(args, &Args::num_allocs_is_set, true);
  set(args, &Args::bytes_limit, 0);  // some callers read it though it is not set
  for (bool Args::*absent :
       {&Args::largest_alloc_size_is_set, &Args::bytes_limit_is_set, &Args::bytes_reserved_is_set,
        &Args::peak_bytes_reserved_is_set, &Args::bytes_reservable_limit_is_set, &Args::largest_free_block_bytes_is_set,
        &Args::pool_bytes_is_set, &Args::peak_pool_bytes_is_set, &Args::peak_allocated_bytes_is_set}) {
    set(args, absent, false);
  }
  return {};
}

// Begins a new peak.
Status Device_ClearMemoryStats(PJRT_Device_ClearMemoryStats_Args &args) {
  BP_ASSIGN(PJRT_Device * device, find_device(args.device));
  device->use->peak_bytes = device->use->bytes.load();
  return {};
}

// --- Memories ---

Status Memory_Id(PJRT_Memory_Id_Args &args) {
  BP_ASSIGN(const OwnMemory *memory, find_memory(args.memory));
  args.id = memory->id;
  return {};
}

Status Memory_Kind(PJRT_Memory_Kind_Args &args) {
  BP_ASSIGN(const OwnMemory *memory, find_memory(args.memory));
  set_text(args, &PJRT_Memory_Kind_Args::kind, &PJRT_Memory_Kind_Args::kind_size, memory->kind);
  return {};
}

Status Memory_Kind_Id(PJRT_Memory_Kind_Id_Args &args) {
  BP_ASSIGN(const OwnMemory *memory, find_memory(args.memory));
  args.kind_id = static_cast<int>(std::ranges::find(memory_kinds, memory->kind) - memory_kinds.begin());
  return {};
}

Status Memory_DebugString(PJRT_Memory_DebugString_Args &args) {
  using Args = PJRT_Memory_DebugString_Args;
  BP_ASSIGN(const OwnMemory *memory, find_memory(args.memory));
  set_text(args, &Args::debug_string, &Args::debug_string_size, memory->text);
  return {};
}

Status Memory_ToString(PJRT_Memory_ToString_Args &args) {
  using Args = PJRT_Memory_ToString_Args;
  BP_ASSIGN(const OwnMemory *memory, find_memory(args.memory));
  set_text(args, &Args::to_string, &Args::to_string_size, memory->text);
  return {};
}

Status Memory_AddressableByDevices(PJRT_Memory_AddressableByDevices_Args &args) {
  BP_ASSIGN(OwnMemory * memory, find_memory(args.memory));
  set(args, &PJRT_Memory_AddressableByDevices_Args::devices, &memory->device);
  set(args, &PJRT_Memory_AddressableByDevices_Args::num_devices, 1);
  return {};
}

// --- Topology: that of the client, which owns it ---

Status TopologyDescription_Destroy(PJRT_TopologyDescription_Destroy_Args &) {
  return {};
}

Status TopologyDescription_PlatformName(PJRT_TopologyDescription_PlatformName_Args &args) {
  using Args = PJRT_TopologyDescription_PlatformName_Args;
  BP_ASSIGN(const PJRT_TopologyDescription *topology, find(args.topology));
  set_text(args, &Args::platform_name, &Args::platform_name_size, topology->client->platform_name);
  return {};
}

Status TopologyDescription_PlatformVersion(PJRT_TopologyDescription_PlatformVersion_Args &args) {
  using Args = PJRT_TopologyDescription_PlatformVersion_Args;
  BP_ASSIGN(const PJRT_TopologyDescription *topology, find(args.topology));
  set_text(args, &Args::platform_version, &Args::platform_version_size, topology->client->platform_version);
  return {};
}

Status TopologyDescription_GetDeviceDescriptions(PJRT_TopologyDescription_GetDeviceDescriptions_Args &args) {
  using Args = PJRT_TopologyDescription_GetDeviceDescriptions_Args;
  BP_ASSIGN(const PJRT_TopologyDescription *topology, find(args.topology));
  set(args, &Args::descriptions, topology->client->description_handles.data());
  set(args, &Args::num_descriptions, topology->client->description_handles.size());
  return {};
}

Status TopologyDescription_Attributes(PJRT_TopologyDescription_Attributes_Args &args) {
  BP_TRY(find(args.topology));
  set(args, &PJRT_TopologyDescription_Attributes_Args::attributes, nullptr);
  set(args, &PJRT_TopologyDescription_Attributes_Args::num_attributes, 0);
  return {};
}

}  // namespace bp::pjrt
