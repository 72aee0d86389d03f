// Settings: what users set of a backend, checked against the options that it describes.
#pragma once

#include <span>
#include <string>
#include <utility>

#include "backplane/device.h"
#include "core/base/result.h"

namespace bp::host {

// InvalidInput unless each setting, a key and a value, is of an option of the device, and of its type.
Status check_settings(const bp_device_desc_t &device, std::span<const std::pair<std::string, std::string>> settings);

// The type of an option, for people: "integer", "one of high, low"; empty if there is no such type.
std::string type_of_option(const bp_option_desc_t &option);

// PluginFailure unless every option is described in full.
Status check_option_descriptions(const bp_device_desc_t &device);

}  // namespace bp::host
