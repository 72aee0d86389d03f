// Plugin and Device: a loaded library and a device created by it. Everything that the ABI guarantees is checked once,
// here. Destruction order is enforced: a Device destroys itself before its Plugin deinitializes, which happens before
// unloading.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backplane/backplane.h"
#include "backplane/ext/draft/aot.h"
#include "backplane/ext/draft/counters.h"
#include "backplane/ext/draft/custom_call.h"
#include "backplane/ext/draft/device_info.h"
#include "backplane/ext/draft/external_memory.h"
#include "backplane/ext/draft/front_end.h"
#include "backplane/ext/draft/fusion.h"
#include "backplane/ext/draft/host_call.h"
#include "backplane/ext/draft/instances.h"
#include "backplane/ext/draft/layout.h"
#include "core/base/result.h"
#include "core/base/sha256.h"
#include "core/host/discovery.h"
#include "core/host/entry.h"
#include "core/host/host_services.h"
#include "core/host/opset.h"

namespace bp::host {

// A device that is present. The texts are empty if the plugin does not tell them.
struct Instance {
  std::string identity, address, name;
};

// A library between init() and deinit().
class Plugin {
 public:
  // Loads the candidate's library, with `opener` if there is one, and puts the layers over it, the last one on top.
  // Rejects a library that fails to load or in init(), or whose code contradicts its manifest. Errors name the file.
  static Result<std::shared_ptr<const Plugin>> load(const Candidate &candidate,
                                                    AfterUse after_use = AfterUse::KeepMapped,
                                                    std::span<const Layer> layers = {}, const Opener &opener = {});
  Plugin(const Plugin &) = delete;
  Plugin &operator=(const Plugin &) = delete;
  ~Plugin();

  const std::string &path() const { return path_; }
  const Manifest &manifest() const { return manifest_; }
  const bp_device_factory_t *factory() const { return factory_; }    // nullptr if the plugin has no device
  const bp_instances_t *instances() const { return instances_; }     // nullptr if the plugin does not have it
  const bp_front_ends_t *front_ends() const { return front_ends_; }  // nullptr if the plugin has none

  // Returns the hash of the library's file on disk, which identifies the build; read at the first call.
  Result<Sha256> file_hash() const;

  // Returns the library's description of a device; nullptr if it has none with this id.
  const bp_device_desc_t *description(std::string_view id) const;
  // Returns the number of devices of this kind that are present. May access hardware. [control]
  Result<std::uint32_t> probe(const std::string &id) const;
  // Returns what instances(), which is not null, tells about an instance. PluginFailure if it tells nothing. May access
  // hardware. [control]
  Result<Instance> describe(const std::string &id, std::uint32_t instance) const;

 private:
  Plugin(std::string path, Manifest manifest) : path_(std::move(path)), manifest_(std::move(manifest)) {}
  Status open(AfterUse after_use, std::span<const Layer> layers, const Opener &opener);
  Status check_factory() const;
  Status check_front_ends() const;

  std::string path_;
  Manifest manifest_;
  std::unique_ptr<Entry> entry_;
  bool initialized_ = false;
  const bp_device_factory_t *factory_ = nullptr;
  const bp_instances_t *instances_ = nullptr;
  const bp_front_ends_t *front_ends_ = nullptr;
  mutable std::mutex mutex_;
  mutable std::optional<Sha256> file_hash_;
};

struct DeviceOptions {
  std::uint32_t instance = 0;                                 // BP_NONE: offline, no hardware is accessed
  std::vector<std::pair<std::string, std::string>> settings;  // for the plugin: keys and values
  std::vector<Layer> layers;                                  // between core and plugin; the last one is on top
  Opener opener;                                              // empty: the library is loaded into this process
  HostOptions host;
};

// A device between init() and destroy().
class Device {
 public:
  // `id` as in the manifest. Errors name the file.
  static Result<std::unique_ptr<Device>> create(std::shared_ptr<const Plugin> plugin, const std::string &id,
                                                DeviceOptions options = {});
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;
  // When called, no work is in flight, and all programs and memory of the device have been released.
  ~Device();

  const Plugin &plugin() const { return *plugin_; }
  const bp_device_t *abi() const { return device_; }
  const bp_device_desc_t &description() const { return *device_->desc; }
  // The opset of the images that the device gets.
  const Opset &opset() const { return common_opset(device_->desc->opset); }
  // The kinds of instructions that it calls the application for (BP_CALLS_*).
  std::uint32_t host_call_kinds() const { return host_call_ == nullptr ? 0 : host_call_->kinds; }
  std::string_view id() const { return device_->desc->id; }
  std::string_view target() const { return device_->target; }
  const bp_host_t *host() const { return services_.abi(); }
  // The timelines that its submits signal.
  Timelines &timelines() const { return services_.timelines(); }

  // The extensions; nullptr if the device does not have them. If not nullptr, all their functions are present.
  const bp_device_kernels_t *kernels() const { return kernels_; }
  const bp_device_memory_t *memory() const { return memory_; }
  const bp_device_compiler_t *compiler() const { return compiler_; }
  const bp_device_queue_t *queue() const { return queue_; }
  const bp_device_native_sync_t *native_sync() const { return native_sync_; }  // only together with a queue
  const bp_device_rewrite_t *rewrite() const { return rewrite_; }
  const bp_device_fusion_t *fusion() const { return fusion_; }
  const bp_device_layout_t *layout() const { return layout_; }
  const bp_device_custom_call_t *custom_call() const { return custom_call_; }
  const bp_device_counters_t *counters() const { return counters_; }
  const bp_device_external_memory_t *external_memory() const { return external_memory_; }  // only together with memory
  const bp_device_info_t *device_info() const { return device_info_; }
  const bp_device_aot_t *aot() const { return aot_; }
  // Must be held while a [control] function of the device is called: these are called one at a time.
  std::mutex &control_mutex() const { return control_mutex_; }
  // Returns any other extension, unchecked; nullptr if the device does not have it.
  const void *extension(const char *extension_id) const { return device_->get_extension(device_, extension_id); }

 private:
  Device(std::shared_ptr<const Plugin> plugin, DeviceOptions options)
      : plugin_(std::move(plugin)), services_(std::move(options.host)) {}
  Status open(const std::string &id, const DeviceOptions &options);
  Status check_extensions();
  Status check_promises() const;
  // Sets `found` to the extension, or nullptr, and checks it.
  template <class Extension>
  Status find_extension(const char *extension_id, const Extension *&found);

  std::shared_ptr<const Plugin> plugin_;
  HostServices services_;
  mutable std::mutex control_mutex_;
  const bp_device_t *device_ = nullptr;
  const bp_device_kernels_t *kernels_ = nullptr;
  const bp_device_memory_t *memory_ = nullptr;
  const bp_device_compiler_t *compiler_ = nullptr;
  const bp_device_queue_t *queue_ = nullptr;
  const bp_device_native_sync_t *native_sync_ = nullptr;
  const bp_device_rewrite_t *rewrite_ = nullptr;
  const bp_device_fusion_t *fusion_ = nullptr;
  const bp_device_layout_t *layout_ = nullptr;
  const bp_device_custom_call_t *custom_call_ = nullptr;
  const bp_device_host_call_t *host_call_ = nullptr;
  const bp_device_counters_t *counters_ = nullptr;
  const bp_device_external_memory_t *external_memory_ = nullptr;
  const bp_device_info_t *device_info_ = nullptr;
  const bp_device_aot_t *aot_ = nullptr;
};

}  // namespace bp::host
