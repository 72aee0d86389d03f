#include "core/host/settings.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <vector>

#include "core/host/diagnostics.h"

namespace bp::host {
namespace {

std::span<const bp_option_desc_t> options_of(const bp_device_desc_t &device) {
  return {device.options, device.options == nullptr ? 0 : device.option_count};
}

std::vector<std::string> choices_of(const bp_option_desc_t &option) {
  std::vector<std::string> choices;
  for (const char *const *choice = option.choices; choice != nullptr && *choice != nullptr; ++choice) {
    choices.push_back(printable(*choice));
  }
  return choices;
}

template <class Number>
bool reads_as(std::string_view text) {
  Number number;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

bool fits(const bp_option_desc_t &option, std::string_view value) {
  switch (option.type) {
    case BP_OPTION_INTEGER: return reads_as<std::int64_t>(value) || reads_as<std::uint64_t>(value);
    case BP_OPTION_REAL: return reads_as<double>(value);
    case BP_OPTION_SWITCH: return value == "0" || value == "1";
    default: return option.choices == nullptr || std::ranges::count(choices_of(option), value) != 0;
  }
}

}  // namespace

std::string type_of_option(const bp_option_desc_t &option) {
  switch (option.type) {
    case BP_OPTION_TEXT:
      return option.choices == nullptr ? "text" : fmt::format("one of {}", fmt::join(choices_of(option), ", "));
    case BP_OPTION_INTEGER: return "integer";
    case BP_OPTION_REAL: return "real number";
    case BP_OPTION_SWITCH: return "0 or 1";
    default: return {};
  }
}

Status check_settings(const bp_device_desc_t &device, std::span<const std::pair<std::string, std::string>> settings) {
  const auto options = options_of(device);
  for (const auto &[key, value] : settings) {
    const auto option = std::ranges::find(options, key, [](const bp_option_desc_t &known) { return known.key; });
    if (option == options.end()) {
      std::vector<std::string> keys;
      for (const bp_option_desc_t &known : options) {
        keys.push_back(printable(known.key));
      }
      return invalid_input("backend {} has no option '{}', expected {}", device.id, key,
                           keys.empty() ? "none" : fmt::format("{}", fmt::join(keys, ", ")));
    }
    if (!fits(*option, value)) {
      return invalid_input("option {} of backend {} is '{}', expected {}", key, device.id, value,
                           type_of_option(*option));
    }
  }
  return {};
}

Status check_option_descriptions(const bp_device_desc_t &device) {
  if (device.options == nullptr && device.option_count != 0) {
    return make_error(ErrorCode::PluginFailure, "options is null, expected {} options", device.option_count);
  }
  for (const bp_option_desc_t &option : options_of(device)) {
    if (option.key == nullptr || *option.key == 0 || option.help == nullptr || type_of_option(option).empty()) {
      return make_error(ErrorCode::PluginFailure, "option {} lacks a key, help, or a known type (it has type {})",
                        &option - device.options, option.type);
    }
  }
  return {};
}

}  // namespace bp::host
