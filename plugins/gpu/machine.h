// Machine: runs kernels and owns their memory. It is a GPU, used through its driver, or the emulator on the host.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "plugin_api/cpp/queue.h"
#include "plugin_api/cpp/result.h"
#include "plugins/gpu/artifact.h"
#include "plugins/gpu/launch_plan.h"

namespace bp::gpu {

// The kernels of a launch plan, ready to run. Threads: any, at the same time.
class LoadedKernels {
 public:
  virtual ~LoadedKernels() = default;
  // Starts a segment of the plan, one of segments(). Its commands take effect in some order that their dependences
  // allow; otherwise the commands of one thread of the host take effect in order. bases: the addresses of the
  // allocations, scratch memory last. Fails with BP_NO_MEMORY only if nothing of it was started.
  virtual plugin::Status start(std::uint32_t segment, std::span<const std::uint64_t> bases) const = 0;
  virtual std::uint64_t resident_bytes() const = 0;
};

// Addresses are those of the machine. Threads: all functions from any thread.
class Machine {
 public:
  virtual ~Machine() = default;
  // Returns the address of new memory.
  virtual plugin::Result<std::uint64_t> allocate(std::uint64_t size, std::uint32_t alignment) = 0;
  virtual void release(std::uint64_t address) = 0;
  // Copies between machine and host are complete on return. A move within the machine is only enqueued, as a launch is.
  virtual plugin::Status copy_in(std::uint64_t to, const void *from, std::uint64_t size) = 0;
  virtual plugin::Status copy_out(void *to, std::uint64_t from, std::uint64_t size) = 0;
  virtual plugin::Status move(std::uint64_t to, std::uint64_t from, std::uint64_t size) = 0;
  // Waits for all commands that this thread of the host started.
  virtual plugin::Status finish() = 0;
  // Marks the moment after all commands that this thread started. Returns null if they are done already.
  virtual plugin::Result<std::shared_ptr<const plugin::Mark>> mark() = 0;
  // Whether the machine can be used at all.
  virtual plugin::Status check() const = 0;
  // Loads the code of a plan, to which it keeps a reference. Fails with BP_INVALID if the code is damaged or not for
  // this machine.
  virtual plugin::Result<std::unique_ptr<LoadedKernels>> load(const LaunchPlan &plan,
                                                              std::span<const CodePart> parts) = 0;
};

}  // namespace bp::gpu
