// Access to the fields of a caller's arguments. Each structure says how large the caller's is: an older framework's
// ends earlier, a newer one's later. Fields that the caller does not have are absent: not read, and not written.
#pragma once

#include <memory>

#include "core/pjrt/pjrt_c_api.h"

namespace bp::pjrt {

template <class Args, class T>
bool has_field(const Args &args, T Args::*field) {
  const auto *begin = reinterpret_cast<const std::byte *>(std::addressof(args));
  const auto *end = reinterpret_cast<const std::byte *>(std::addressof(args.*field) + 1);
  return end <= begin + args.struct_size;
}

// Sets a field, if the caller has it.
template <class Args, class T, class Value>
void set(Args &args, T Args::*field, Value &&value) {
  if (has_field(args, field)) {
    args.*field = static_cast<T>(std::forward<Value>(value));
  }
}

// Returns a field, or a value if the caller does not have it.
template <class Args, class T>
T get(const Args &args, T Args::*field, T if_absent = {}) {
  return has_field(args, field) ? args.*field : if_absent;
}

}  // namespace bp::pjrt
