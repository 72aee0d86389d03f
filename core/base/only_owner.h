// Whether an object has one owner, who may then write to it.
#pragma once

#include <atomic>
#include <memory>

namespace bp {

// Whether nobody but the caller has the object; then it sees what all earlier owners have written. use_count() alone
// does not say the latter.
template <class T>
bool is_only_owner(const std::shared_ptr<T> &object) {
  if (object.use_count() != 1) {
    return false;
  }
  std::atomic_thread_fence(std::memory_order_acquire);
  return true;
}

}  // namespace bp
