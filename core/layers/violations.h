// Violations: what the layer `validate` finds.
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

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

}  // namespace bp::layers
