// Validate: checks the rules of the ABI at each call, on both sides, as far as they can be observed from outside. Rules
// that require knowledge of results are left to the conformance suite.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/host/entry.h"

namespace bp::layers {

// A rule that was broken.
struct Violation {
  std::string rule;     // "BP-CLAIM-01"; for thread tags "[control]" and the like
  std::string message;  // "compiler.claim: ..."
};

// Threads: all functions may be called from any thread.
class Violations {
 public:
  // `listener` is called for each violation, from the thread that found it; may be empty.
  explicit Violations(std::function<void(const Violation &)> listener = {}) : listener_(std::move(listener)) {}
  void add(std::string rule, std::string message);
  std::vector<Violation> all() const;

 private:
  mutable std::mutex mutex_;
  std::function<void(const Violation &)> listener_;
  std::vector<Violation> all_;
};

host::Layer validate_layer(std::shared_ptr<Violations> violations);

}  // namespace bp::layers
