// The objects that callers hold: a handle that was destroyed, or that never was one, is an error and not a crash.
#pragma once

#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string_view>
#include <unordered_map>

#include "core/base/result.h"
#include "core/pjrt/pjrt_c_api.h"

namespace bp::pjrt {

// All live objects of one type.
template <class T>
class Handles {
 public:
  // `name`: of the type, for messages.
  explicit Handles(std::string_view name) : name_(name) {}

  // Takes over the object, which remains until destroy().
  T *add(std::unique_ptr<T> object) {
    const std::unique_lock lock(mutex_);
    T *handle = object.get();
    live_.emplace(handle, std::move(object));
    return handle;
  }

  Result<T *> find(const T *handle) const {
    const std::shared_lock lock(mutex_);
    const auto found = live_.find(handle);
    if (found == live_.end()) {
      return invalid_input("{} is no live object: it was destroyed, or never was one", name_);
    }
    return found->second.get();
  }

  // Returns the object, whose handle is destroyed.
  Result<std::unique_ptr<T>> take(const T *handle) {
    const std::unique_lock lock(mutex_);
    const auto found = live_.find(handle);
    if (found == live_.end()) {
      return invalid_input("{} is no live object: it was destroyed, or never was one", name_);
    }
    std::unique_ptr<T> object = std::move(found->second);
    live_.erase(found);
    return object;
  }

  Status destroy(const T *handle) {
    BP_TRY(take(handle));  // the object is destroyed here, without the lock
    return {};
  }

 private:
  std::string_view name_;
  mutable std::shared_mutex mutex_;
  std::unordered_map<const T *, std::unique_ptr<T>> live_;
};

// Returns the objects of a type: one per type for the whole process, never destroyed, as callers may be late.
template <class T>
Handles<T> &handles();
struct OwnMemory;
template <>
Handles<PJRT_Client> &handles<PJRT_Client>();
template <>
Handles<PJRT_Buffer> &handles<PJRT_Buffer>();
template <>
Handles<PJRT_Event> &handles<PJRT_Event>();
template <>
Handles<PJRT_Executable> &handles<PJRT_Executable>();
template <>
Handles<PJRT_LoadedExecutable> &handles<PJRT_LoadedExecutable>();
template <>
Handles<PJRT_Device> &handles<PJRT_Device>();
template <>
Handles<PJRT_DeviceDescription> &handles<PJRT_DeviceDescription>();
template <>
Handles<OwnMemory> &handles<OwnMemory>();
template <>
Handles<PJRT_TopologyDescription> &handles<PJRT_TopologyDescription>();

// An object with a handle that lives as long as another object, its owner.
template <class T>
struct DestroyHandle {
  void operator()(const T *handle) const { (void)handles<T>().destroy(handle); }
};
template <class T>
using Owned = std::unique_ptr<T, DestroyHandle<T>>;
template <class T>
Owned<T> make_owned() {
  return Owned<T>(handles<T>().add(std::make_unique<T>()));
}

}  // namespace bp::pjrt
