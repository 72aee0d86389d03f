// Parts of the checks of a plugin's tables.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/result.h"

namespace bp::host {

// The error of a plugin that breaks a promise of the headers.
inline Error broken(std::string message) {
  return Error(ErrorCode::PluginFailure, std::move(message));
}

inline std::string_view text_or_empty(const char *text) {
  return text == nullptr ? std::string_view() : text;
}

struct NamedFunction {
  const char *name;
  bool present;
};
#define BP_FUNCTION(table, name) {#name, (table)->name != nullptr}

// Checks that no function of a table is null: check_functions("bp_device", {BP_FUNCTION(device, init)}).
inline Status check_functions(std::string_view table, std::initializer_list<NamedFunction> functions) {
  for (const NamedFunction &function : functions) {
    if (!function.present) {
      return broken(fmt::format("{}.{} is null, expected a function", table, function.name));
    }
  }
  return {};
}

}  // namespace bp::host
