// The options of a device: checks their texts, and reads them as what they are.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <system_error>
#include <variant>

#include "backplane/device.h"
#include "result.h"

namespace bp::plugin {

// Where the value of an option goes: a switch to a bool, an integer to a number that is at least `min`, and a text to a
// string.
struct OptionTarget {
  std::string_view key;
  std::variant<bool *, std::uint64_t *, std::string *> to;
  std::uint64_t min = 0;
};

inline Status read_option(const OptionTarget &target, std::string_view value) {
  const auto expected = [&](const std::string &what) {
    return Error(BP_INVALID, std::string(target.key) + " is " + std::string(value) + ", expected " + what);
  };
  if (bool *const *is_on = std::get_if<bool *>(&target.to)) {
    if (value != "0" && value != "1") {
      return expected("0 or 1");
    }
    **is_on = value == "1";
  } else if (std::uint64_t *const *number = std::get_if<std::uint64_t *>(&target.to)) {
    std::uint64_t read = 0;
    const auto [end, problem] = std::from_chars(value.data(), value.data() + value.size(), read);
    if (problem != std::errc() || end != value.data() + value.size() || read < target.min) {
      return expected("a whole number, at least " + std::to_string(target.min));
    }
    **number = read;
  } else {
    *std::get<std::string *>(target.to) = value;
  }
  return {};
}

// For set_option() of a device (device.h): reads the value into the target with this key, which is one of them.
inline Status set_option(std::string_view key, std::string_view value, std::initializer_list<OptionTarget> targets) {
  const auto target = std::ranges::find(targets, key, &OptionTarget::key);
  return target != targets.end() ? read_option(*target, value)
                                 : Error(BP_INTERNAL, "nothing reads the option " + std::string(key));
}

// Checks a text against the description of its option: one of the choices, if there are any.
inline Status check_choice(const bp_option_desc_t &option, std::string_view value) {
  std::string all;
  for (const char *const *choice = option.choices; choice != nullptr && *choice != nullptr; ++choice) {
    if (value == *choice) {
      return {};
    }
    all += (choice == option.choices ? "" : choice[1] == nullptr ? " or " : ", ") + std::string(*choice);
  }
  return all.empty() ? Status()
                     : Error(BP_INVALID, std::string(option.key) + " is " + std::string(value) + ", expected " + all);
}

}  // namespace bp::plugin
