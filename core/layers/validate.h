// Validate: checks the rules of the ABI at each call, on both sides of it, as far as they can be seen from outside. What
// takes knowledge of results is left to the conformance suite.
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
  std::string rule;     // "BP-CLAIM-01"; "[control]" and its like for thread tags
  std::string message;  // "compiler.claim: ..."
};

// Threads: all functions from any thread.
class Violations {
 public:
  // Told at once of each, from the thread that found it; may be empty.
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
