#include "core/host/plugin.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <mutex>

#include "core/base/files.h"
#include "core/host/diagnostics.h"
#include "core/host/extension_checks.h"
#include "core/host/heap_reserve.h"
#include "core/host/settings.h"
#include "core/host/table_checks.h"

namespace bp::host {
namespace {

// [control] functions that belong to a library, not to a device, are called by one thread at a time.
std::mutex &control_mutex() {
  static std::mutex mutex;
  return mutex;
}

// Compares one item of the code with the manifest.
Status check_equal(std::string_view place, std::string_view what, std::string_view in_code,
                   std::string_view in_manifest) {
  if (in_code == in_manifest) {
    return {};
  }
  return broken(fmt::format("the manifest differs from the code: {}{} is \"{}\" in the code, \"{}\" in the manifest",
                            place, what, printable(in_code), in_manifest));
}

std::string sorted_list(std::vector<std::string> items) {
  std::ranges::sort(items);
  return fmt::format("{}", fmt::join(items, ", "));
}

Status check_description(const bp_device_desc_t &found, const Manifest &manifest, const ManifestDevice &expected) {
  const std::string place = fmt::format("device {}: ", expected.id);
  BP_TRY(check_equal(place, "ABI version", to_string(found.bp_version), to_string(manifest.abi)));
  BP_TRY(check_equal(place, "opset", std::to_string(found.opset), std::to_string(manifest.opset)));
  BP_TRY(check_equal(place, "id", text_or_empty(found.id), expected.id));
  BP_TRY(check_equal(place, "name", text_or_empty(found.name), expected.name));
  BP_TRY(check_equal(place, "version", text_or_empty(found.version), manifest.version));
  std::vector<std::string> features;
  for (const char *const *feature = found.features; feature != nullptr && *feature != nullptr; ++feature) {
    features.emplace_back(*feature);
  }
  BP_TRY(check_equal(place, "list of extensions", sorted_list(std::move(features)), sorted_list(expected.extensions)));
  if (Status options = check_option_descriptions(found); !options.ok()) {
    return broken(place + options.error().message());
  }
  return {};
}

class LibraryEntry final : public Entry {
 public:
  LibraryEntry(void *library, AfterUse after_use, const bp_plugin_entry_t *entry)
      : library_(library), after_use_(after_use), entry_(entry) {}
  LibraryEntry(const LibraryEntry &) = delete;
  LibraryEntry &operator=(const LibraryEntry &) = delete;
  ~LibraryEntry() override {
    if (after_use_ == AfterUse::Unload) {
      dlclose(library_);
    }
  }
  Status check(const Manifest &manifest) const {
    if (entry_ == nullptr) {
      return broken("does not export bp_entry, expected exactly that symbol");
    }
    BP_TRY(check_equal("", "ABI version", to_string(entry_->bp_version), to_string(manifest.abi)));
    return check_functions("bp_entry",
                           {BP_FUNCTION(entry_, init), BP_FUNCTION(entry_, deinit), BP_FUNCTION(entry_, get_factory)});
  }

  bp_status init(const char *path, const bp_diag_t *diag) override { return entry_->init(path, diag); }
  void deinit() override { entry_->deinit(); }
  const void *get_factory(const char *id) override { return entry_->get_factory(id); }

 private:
  void *library_;
  AfterUse after_use_;
  const bp_plugin_entry_t *entry_;
};

// Returns the status of a call that fails without returning one: the first one reported.
bp_status reported_status(const Diagnostics &diagnostics) {
  const bool reported = !diagnostics.reports().empty() && diagnostics.reports()[0].status != BP_OK;
  return reported ? diagnostics.reports()[0].status : BP_INTERNAL;
}

// Returns the flags of dlopen() for a plugin.
//
// A process may have another LLVM whose symbols every library sees: TensorFlow brings one. The LLVM of a plugin would
// then call functions of the other one, and crash. With RTLD_DEEPBIND it finds its own first, and also the C library's
// malloc(): so not if that has been replaced, by another allocator or a sanitizer.
int loading_flags() {
  constexpr int flags = RTLD_NOW | RTLD_LOCAL;
  if (dlsym(RTLD_DEFAULT, "LLVMContextCreate") == nullptr) {
    return flags;
  }
  void *c_library = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
  const bool is_own_malloc = c_library != nullptr && dlsym(c_library, "malloc") == dlsym(RTLD_DEFAULT, "malloc");
  if (c_library != nullptr) {
    dlclose(c_library);
  }
  return is_own_malloc ? flags | RTLD_DEEPBIND : flags;
}

// Checks of an extension that the device has, by its type.

}  // namespace

std::unique_ptr<Entry> entry_of(const bp_plugin_entry_t &entry) {
  return std::make_unique<LibraryEntry>(nullptr, AfterUse::KeepMapped, &entry);
}

Result<std::unique_ptr<Entry>> open_library(const std::string &path, const Manifest &manifest, AfterUse after_use) {
  constexpr std::size_t initializer_bytes = 8 << 20;  // LLVM's initializers have terminated a process without this
  const HeapReserve reserve(initializer_bytes);
  if (!reserve.is_kept()) {
    return Error(ErrorCode::OutOfMemory,
                 fmt::format("cannot be loaded: out of memory, {} bytes are needed", initializer_bytes));
  }
  void *library = dlopen(path.c_str(), loading_flags());
  if (library == nullptr) {
    return broken(fmt::format("cannot be loaded: {}", printable(text_or_empty(dlerror()))));
  }
  auto entry = std::make_unique<LibraryEntry>(library, after_use,
                                              static_cast<const bp_plugin_entry_t *>(dlsym(library, "bp_entry")));
  BP_TRY(entry->check(manifest));
  return std::unique_ptr<Entry>(std::move(entry));
}

Result<std::shared_ptr<const Plugin>> Plugin::load(const Candidate &candidate, AfterUse after_use,
                                                   std::span<const Layer> layers, const Opener &opener) {
  if (candidate.refusal.has_value()) {
    return *candidate.refusal;
  }
  const std::shared_ptr<Plugin> plugin(new Plugin(candidate.path, *candidate.manifest));
  if (Status opened = plugin->open(after_use, layers, opener); !opened.ok()) {
    return std::move(opened).error().at({candidate.path, 0, 0, {}});
  }
  return std::shared_ptr<const Plugin>(plugin);
}

Status Plugin::open(AfterUse after_use, std::span<const Layer> layers, const Opener &opener) {
  const std::lock_guard lock(control_mutex());
  BP_ASSIGN(entry_, opener ? opener(path_, manifest_) : open_library(path_, manifest_, after_use));
  for (const Layer &layer : layers) {
    entry_ = layer(std::move(entry_));
  }
  Diagnostics diagnostics;
  const bp_status status = diagnostics.call([&](const bp_diag_t *diag) { return entry_->init(path_.c_str(), diag); });
  BP_TRY(diagnostics.result(status, manifest_.devices.empty() ? manifest_.front_ends[0].name : manifest_.devices[0].id,
                            "init"));
  initialized_ = true;
  if (!manifest_.front_ends.empty()) {
    front_ends_ = static_cast<const bp_front_ends_t *>(entry_->get_factory(BP_FRONT_ENDS));
    BP_TRY(check_front_ends());
  }
  if (manifest_.devices.empty()) {
    return {};
  }
  factory_ = static_cast<const bp_device_factory_t *>(entry_->get_factory(BP_DEVICE_FACTORY));
  if (factory_ == nullptr) {
    return broken(fmt::format("has no factory \"{}\", expected one", BP_DEVICE_FACTORY));
  }
  BP_TRY(check_factory());
  instances_ = static_cast<const bp_instances_t *>(entry_->get_factory(BP_INSTANCES));
  return instances_ == nullptr ? Status() : check_functions(BP_INSTANCES, {BP_FUNCTION(instances_, describe)});
}

Status Plugin::check_factory() const {
  BP_TRY(check_functions("bp_device_factory", {BP_FUNCTION(factory_, count), BP_FUNCTION(factory_, get_desc),
                                               BP_FUNCTION(factory_, probe), BP_FUNCTION(factory_, create)}));
  BP_TRY(check_equal("", "number of devices", std::to_string(factory_->count(factory_)),
                     std::to_string(manifest_.devices.size())));
  for (std::size_t i = 0; i < manifest_.devices.size(); ++i) {
    const bp_device_desc_t *description = factory_->get_desc(factory_, static_cast<std::uint32_t>(i));
    if (description == nullptr) {
      return broken(fmt::format("get_desc({}) is null, expected the description of {}", i, manifest_.devices[i].id));
    }
    BP_TRY(check_description(*description, manifest_, manifest_.devices[i]));
  }
  return {};
}

Status Plugin::check_front_ends() const {
  if (front_ends_ == nullptr || (front_ends_->front_ends == nullptr && front_ends_->count != 0)) {
    return broken(fmt::format("has no table \"{}\", expected one: the manifest lists front ends", BP_FRONT_ENDS));
  }
  BP_TRY(check_equal("", "number of front ends", std::to_string(front_ends_->count),
                     std::to_string(manifest_.front_ends.size())));
  for (std::size_t i = 0; i < manifest_.front_ends.size(); ++i) {
    const bp_front_end_t &front_end = front_ends_->front_ends[i];
    const std::string place = fmt::format("front end {}: ", manifest_.front_ends[i].name);
    BP_TRY(check_equal(place, "name", text_or_empty(front_end.name), manifest_.front_ends[i].name));
    BP_TRY(check_functions("bp_front_end", {BP_FUNCTION(&front_end, recognizes), BP_FUNCTION(&front_end, read)}));
    constexpr std::uint64_t max_size = 64 << 10;
    if (front_end.example == nullptr || front_end.example_size > max_size) {
      return broken(fmt::format("{}the example is {}, expected at most {} bytes", place,
                                front_end.example == nullptr ? "null" : fmt::format("{} bytes", front_end.example_size),
                                max_size));
    }
  }
  return {};
}

Result<Sha256> Plugin::file_hash() const {
  const std::lock_guard lock(mutex_);
  if (!file_hash_) {
    BP_ASSIGN(const std::string file, read_file(path_));
    file_hash_ = sha256({reinterpret_cast<const std::byte *>(file.data()), file.size()});
  }
  return *file_hash_;
}

const bp_device_desc_t *Plugin::description(std::string_view id) const {
  for (std::uint32_t i = 0; i < manifest_.devices.size(); ++i) {
    if (manifest_.devices[i].id == id) {
      return factory_->get_desc(factory_, i);
    }
  }
  return nullptr;
}

Plugin::~Plugin() {
  const std::lock_guard lock(control_mutex());
  if (initialized_) {
    entry_->deinit();
  }
  entry_.reset();  // while the lock is held
}

Result<std::uint32_t> Plugin::probe(const std::string &id) const {
  const std::lock_guard lock(control_mutex());
  Diagnostics diagnostics;
  std::uint32_t instances = 0;
  const bp_status status =
      diagnostics.call([&](const bp_diag_t *diag) { return factory_->probe(factory_, id.c_str(), &instances, diag); });
  if (Status probed = diagnostics.result(status, id, "probe"); !probed.ok()) {
    return std::move(probed).error().at({path_, 0, 0, {}});
  }
  return instances;
}

Result<Instance> Plugin::describe(const std::string &id, std::uint32_t instance) const {
  struct Told {
    Instance instance;
    int times = 0;
  } told;
  const auto tell = [](const bp_instance_receiver_t *receiver, const bp_instance_t *instance) {
    auto &to = *static_cast<Told *>(receiver->ctx);
    ++to.times;
    to.instance = {std::string(text_or_empty(instance->identity)), printable(text_or_empty(instance->address)),
                   printable(text_or_empty(instance->name))};
  };
  const bp_instance_receiver_t receiver = {&told, tell};
  const std::lock_guard lock(control_mutex());
  Diagnostics diagnostics;
  const bp_status status = diagnostics.call(
      [&](const bp_diag_t *diag) { return instances_->describe(factory_, id.c_str(), instance, &receiver, diag); });
  if (Status described = diagnostics.result(status, id, "describe"); !described.ok()) {
    return std::move(described).error().at({path_, 0, 0, {}});
  }
  if (told.times != 1) {
    return broken(fmt::format("{}.describe tells instance {} of {} {} times, expected once", BP_INSTANCES, instance, id,
                              told.times))
        .at({path_, 0, 0, {}});
  }
  return std::move(told.instance);
}

Result<std::unique_ptr<Device>> Device::create(std::shared_ptr<const Plugin> plugin, const std::string &id,
                                               DeviceOptions options) {
  const std::string path = plugin->path();
  // `options.host` is moved into the device; the rest is read by open().
  std::unique_ptr<Device> device(
      new Device(std::move(plugin), {options.instance, options.settings, {}, {}, std::move(options.host)}));
  if (Status opened = device->open(id, options); !opened.ok()) {
    return std::move(opened).error().at({path, 0, 0, {}});
  }
  return device;
}

Status Device::open(const std::string &id, const DeviceOptions &options) {
  if (const bp_device_desc_t *description = plugin_->description(id)) {
    BP_TRY(check_settings(*description, options.settings));
  }
  std::vector<bp_option_t> settings;
  for (const auto &[key, value] : options.settings) {
    settings.push_back({key.c_str(), value.c_str()});
  }
  Diagnostics creation;
  const bp_device_factory_t *factory = plugin_->factory();
  const bp_device_t *device = nullptr;
  const bp_status created = creation.call([&](const bp_diag_t *diag) -> bp_status {
    device = factory->create(factory, services_.abi(), id.c_str(), options.instance, settings.data(),
                             static_cast<std::uint32_t>(settings.size()), diag);
    return device != nullptr ? BP_OK : reported_status(creation);
  });
  BP_TRY(creation.result(created, id, "create"));
  BP_TRY(check_functions("bp_device", {BP_FUNCTION(device, destroy)}));
  device_ = device;  // from now on it will be destroyed
  BP_TRY(check_functions("bp_device", {BP_FUNCTION(device, init), BP_FUNCTION(device, get_extension)}));
  if (device->desc == nullptr || text_or_empty(device->desc->id) != id) {
    return broken(fmt::format("create(\"{}\") made a device with the id \"{}\", expected the id asked for", id,
                              device->desc == nullptr ? "" : printable(text_or_empty(device->desc->id))));
  }
  Diagnostics initialization;
  const bp_status status = initialization.call([&](const bp_diag_t *diag) { return device->init(device, diag); });
  BP_TRY(initialization.result(status, id, "init of the device"));
  if (device->target == nullptr) {
    return broken(fmt::format("device {}: target is null after init, expected a string", id));
  }
  return check_extensions();
}

template <class Extension>
Status Device::find_extension(const char *extension_id, const Extension *&found) {
  found = static_cast<const Extension *>(extension(extension_id));
  return found == nullptr ? Status() : check_extension(found);
}

Status Device::check_extensions() {
  BP_TRY(check_promises());
  BP_TRY(find_extension(BP_EXT_KERNELS, kernels_));
  BP_TRY(find_extension(BP_EXT_MEMORY, memory_));
  BP_TRY(find_extension(BP_EXT_COMPILER, compiler_));
  BP_TRY(find_extension(BP_EXT_QUEUE, queue_));
  if (queue_ != nullptr && compiler_ != nullptr) {
    BP_TRY(check_queue_takes(queue_, BP_COMMAND_RUN, "run"));
  }
  if (queue_ != nullptr && memory_ != nullptr) {
    BP_TRY(check_queue_takes(queue_, BP_COMMAND_COPY, "copy"));
  }
  if (queue_ != nullptr) {
    BP_TRY(find_extension(BP_EXT_NATIVE_SYNC, native_sync_));
  }
  BP_TRY(find_extension(BP_EXT_REWRITE, rewrite_));
  BP_TRY(find_extension(BP_EXT_FUSION, fusion_));
  BP_TRY(find_extension(BP_EXT_LAYOUT, layout_));
  BP_TRY(find_extension(BP_EXT_CUSTOM_CALL, custom_call_));
  BP_TRY(find_extension(BP_EXT_HOST_CALL, host_call_));
  BP_TRY(find_extension(BP_EXT_COUNTERS, counters_));
  BP_TRY(find_extension(BP_EXT_DEVICE_INFO, device_info_));
  BP_TRY(find_extension(BP_EXT_AOT, aot_));
  external_memory_ = static_cast<const bp_device_external_memory_t *>(extension(BP_EXT_EXTERNAL_MEMORY));
  return external_memory_ == nullptr ? Status() : check_external_memory(external_memory_, memory_);
}

Status Device::check_promises() const {
  for (const char *const *feature = device_->desc->features; feature != nullptr && *feature != nullptr; ++feature) {
    if (extension(*feature) == nullptr) {
      return broken(
          fmt::format("the manifest differs from the code: device {} lists {}, but get_extension returns null", id(),
                      printable(*feature)));
    }
  }
  if (extension("bp.not-an-extension/1") != nullptr) {
    return broken(fmt::format("device {}: get_extension answers to an unknown id, expected null", id()));
  }
  return {};
}

Device::~Device() {
  if (device_ != nullptr) {
    device_->destroy(device_);
  }
}

}  // namespace bp::host
