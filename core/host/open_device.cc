#include "core/host/open_device.h"

#include <mutex>
#include <set>
#include <string>

#include "core/host/instances.h"

namespace bp::host {
namespace {

// Logs what the user has to know of a plugin: on standard error, only the first time.
void log_warnings(const Candidate &candidate, const HostOptions &options) {
  static std::mutex mutex;
  static std::set<std::string> told;
  for (const std::string &warning : candidate.warnings) {
    const std::lock_guard lock(mutex);
    if (options.log || told.insert(warning).second) {
      log(options, BP_LOG_WARNING, warning);
    }
  }
}

}  // namespace

Result<std::unique_ptr<Device>> open_device(std::string_view name, DeviceOptions options) {
  BP_ASSIGN(const InstanceName named, split_instance(name));
  BP_ASSIGN(const Candidate candidate, find_plugin(named.backend, plugin_directories()));
  if (candidate.manifest->devices.empty()) {
    return Error(ErrorCode::Unsupported, "has no device, only front ends, which read files: expected a backend")
        .at({candidate.path, 0, 0, {}});
  }
  log_warnings(candidate, options.host);
  BP_ASSIGN(std::shared_ptr<const Plugin> plugin,
            Plugin::load(candidate, AfterUse::KeepMapped, options.layers, options.opener));
  const ManifestDevice *device = candidate.manifest->find(named.backend);
  const std::string id = device != nullptr ? device->id : candidate.manifest->devices[0].id;
  if (!named.instance.empty()) {
    BP_ASSIGN(options.instance, find_instance(*plugin, id, named));
  }
  return Device::create(std::move(plugin), id, std::move(options));
}

}  // namespace bp::host
