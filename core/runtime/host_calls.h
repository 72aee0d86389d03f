// Instructions of a program that the device has the application run, in the middle of a run (ext/draft/host_call.h).
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "backplane/ext/memory.h"
#include "core/base/result.h"
#include "core/host/image.h"
#include "core/host/plugin.h"
#include "core/interpreter/options.h"
#include "core/ir/module.h"

namespace bp::runtime {

// A call of the application that a run makes. A run that is started inside of it waits with it: calls nest, also across
// threads.
class HostCall {
 public:
  HostCall(const host::Device &device, std::shared_ptr<const HostCall> outer);

  // Whether this call, or one around it, is made by a run on the device that has not ended it.
  bool is_for(const host::Device &device) const;
  // Says that the run goes on.
  void end() { device_.store(nullptr, std::memory_order_relaxed); }

 private:
  std::atomic<const host::Device *> device_;
  std::shared_ptr<const HostCall> outer_;  // in which the run was started; may be nullptr
};

// Returns the innermost call that this thread executes, or nullptr.
std::shared_ptr<const HostCall> current_host_call();

// Has a thread work for the call that another one executes, or for none, as long as the object exists.
class WithinHostCall {
 public:
  explicit WithinHostCall(std::shared_ptr<const HostCall> call);
  ~WithinHostCall();
  WithinHostCall(const WithinHostCall &) = delete;
  WithinHostCall &operator=(const WithinHostCall &) = delete;

 private:
  const std::shared_ptr<const HostCall> call_;
  const std::shared_ptr<const HostCall> *const before_;
};

// Locations in the text of a program, by name of the instruction.
using CallLocations = std::map<std::string, SourceLocation, std::less<>>;

// Threads: const functions may be called from any thread, also concurrently.
class HostCallSites {
 public:
  HostCallSites() = default;
  // Finds the marked instructions of a valid image of the final stage. `locations`: for messages.
  static Result<HostCallSites> of(const bp_module_t *image, const CallLocations &locations);

  bool empty() const { return sites_.empty(); }
  // Runs an instruction of the image, as `host` says: takes its operands from their slices, which must have been
  // computed, and writes its results to theirs. `allocations`: the locations of a run; `outer`: the call in which the
  // run was started, or nullptr. PluginFailure if the instruction is not marked; otherwise fails as the application's
  // function does, or as the device does when it copies.
  Status run(std::uint32_t instruction, const host::Device &device, const bp_loc_t *allocations,
             const std::shared_ptr<const HostCall> &outer, const interpreter::Options &host) const;

 private:
  struct Slice {
    std::uint32_t allocation;  // BP_NONE: a token
    std::uint64_t offset, size;
    ir::Shape shape;
  };
  struct Site {
    ir::Module module;  // has only the instruction, and parameters for its operands
    std::vector<Slice> parameters, results;
  };

  std::map<std::uint32_t, Site> sites_;  // by instruction of the image
};

}  // namespace bp::runtime
