// Instructions of a program that the device has the application run, in the middle of a run (ext/draft/host_call.h).
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "backplane/ext/memory.h"
#include "core/base/result.h"
#include "core/host/image.h"
#include "core/host/plugin.h"
#include "core/interpreter/options.h"
#include "core/ir/module.h"

namespace bp::runtime {

// Threads: const functions may be called from any thread, also concurrently.
class HostCallSites {
 public:
  HostCallSites() = default;
  // Finds the marked instructions of a valid image of the final stage.
  static Result<HostCallSites> of(const bp_module_t *image);

  bool empty() const { return sites_.empty(); }
  // Runs an instruction of the image, as `host` says: takes its operands from their slices, which must have been
  // computed, and writes its results to theirs. `allocations`: the locations of a run. PluginFailure if the instruction
  // is not marked; otherwise fails as the application's function does, or as the device does when it copies.
  Status run(std::uint32_t instruction, const host::Device &device, const bp_loc_t *allocations,
             const interpreter::Options &host) const;

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

// Whether this thread is inside of HostCallSites::run() for the device.
bool is_in_host_call(const host::Device &device);

}  // namespace bp::runtime
