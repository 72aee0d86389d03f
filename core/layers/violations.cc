#include "core/layers/violations.h"

namespace bp::layers {

void Violations::add(std::string rule, std::string message) {
  const std::lock_guard lock(mutex_);
  all_.push_back({std::move(rule), std::move(message)});
  if (listener_) {
    listener_(all_.back());
  }
}

std::vector<Violation> Violations::all() const {
  const std::lock_guard lock(mutex_);
  return all_;
}

}  // namespace bp::layers
