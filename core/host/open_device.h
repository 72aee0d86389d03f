// open_device: from a name to a device that is ready for use.
#pragma once

#include <memory>
#include <string_view>

#include "core/base/result.h"
#include "core/host/plugin.h"

namespace bp::host {

// Finds the plugin for a name or path in plugin_directories(), loads it, and creates the device of that name (the first
// in the manifest if the name is that of the file). The name may end with an instance (instances.h), which then
// replaces that of the options. The plugin's warnings (candidate.h) go to the log.
Result<std::unique_ptr<Device>> open_device(std::string_view name, DeviceOptions options = {});

}  // namespace bp::host
