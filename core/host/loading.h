// Loading: while the core has a plugin load an artifact, what the artifact was compiled from.
#pragma once

#include <utility>

#include "backplane/module.h"

namespace bp::host {

// Made by the core around each call of load(), which gets only the artifact: whoever is between core and plugin may
// need the module too, and has not seen compile() if the artifact is from a file. Threads: each has its own.
class Loading {
 public:
  explicit Loading(const bp_module_t *module) : outer_(std::exchange(module_, module)) {}
  Loading(const Loading &) = delete;
  Loading &operator=(const Loading &) = delete;
  ~Loading() { module_ = outer_; }

  // Returns nullptr if the core loads nothing, or does not know the module.
  static const bp_module_t *module() { return module_; }

 private:
  const bp_module_t *outer_;
  static inline thread_local const bp_module_t *module_ = nullptr;
};

}  // namespace bp::host
