// PerDevice: finds the object of one type that all programs of a device share.
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "core/host/plugin.h"

namespace bp::runtime {

// T is made of a shared pointer to the device, which it keeps: so no other device gets the address while it exists.
// Threads: any.
template <class T>
class PerDevice {
 public:
  // Returns the object of the device, which is made if nobody has it.
  std::shared_ptr<T> get(const std::shared_ptr<const host::Device> &device) {
    const std::lock_guard lock(mutex_);
    std::shared_ptr<T> found = all_[device.get()].lock();
    if (found == nullptr) {
      std::erase_if(all_, [](const auto &entry) { return entry.second.expired(); });
      all_[device.get()] = found = std::make_shared<T>(device);
    }
    return found;
  }
  // Returns nullptr if nobody has it.
  std::shared_ptr<T> find(const host::Device &device) {
    const std::lock_guard lock(mutex_);
    const auto found = all_.find(&device);
    return found == all_.end() ? nullptr : found->second.lock();
  }

 private:
  std::mutex mutex_;
  std::map<const host::Device *, std::weak_ptr<T>> all_;
};

}  // namespace bp::runtime
