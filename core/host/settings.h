// Settings: values that users set for options of a backend, checked against the options that it describes.
#pragma once

#include <span>
#include <string>
#include <utility>

#include "backplane/device.h"
#include "core/base/result.h"

namespace bp::host {

// Returns InvalidInput unless the key of each setting names an option of the device and its value has the option's
// type.
Status check_settings(const bp_device_desc_t &device, std::span<const std::pair<std::string, std::string>> settings);

// Returns the type of an option as text for people: "integer", "one of high, low"; empty if there is no such type.
std::string type_of_option(const bp_option_desc_t &option);

// Returns PluginFailure unless every option is described completely.
Status check_option_descriptions(const bp_device_desc_t &device);

}  // namespace bp::host
