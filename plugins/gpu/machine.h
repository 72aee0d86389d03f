// Machine: what runs kernels and has their memory. A GPU, through the driver, or the emulator on the host.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "backplane/ext/memory.h"
#include "plugins/gpu/launch_plan.h"

namespace bp::gpu {

// What a failure is where something may have been written already: BP_NO_MEMORY says that nothing was (BP-STATUS-02).
inline bp_status after_writing(bp_status status) {
  return status == BP_NO_MEMORY ? BP_INTERNAL : status;
}

// The kernels of a launch plan, ready to run. Threads: any, at the same time.
class LoadedKernels {
 public:
  virtual ~LoadedKernels() = default;
  // Starts a segment of the plan, one of segments(), whose commands take effect in some order that their dependences
  // allow; else what one thread of the host starts takes effect in order. bases: where the allocations are, scratch last.
  // BP_NO_MEMORY only if nothing of it was started.
  virtual bp_status start(std::uint32_t segment, std::span<const std::uint64_t> bases, const bp_diag_t *diag) const = 0;
  virtual std::uint64_t resident_bytes() const = 0;
};

// A moment on the stream of one thread of the host. Threads: any.
class Mark {
 public:
  virtual ~Mark() = default;
  // Blocks until all that was started before it is done.
  virtual bp_status wait(const bp_diag_t *diag) const = 0;
  // What this thread starts from here on waits for that, too; the thread itself does not.
  virtual bp_status hold(const bp_diag_t *diag) const = 0;
};

// Addresses are the machine's. Threads: all functions from any thread.
class Machine {
 public:
  // backend: its name, with which messages begin.
  explicit Machine(std::string backend) : backend_(std::move(backend)) {}
  virtual ~Machine() = default;
  const std::string &backend() const { return backend_; }
  virtual bp_status allocate(std::uint64_t size, std::uint32_t alignment, std::uint64_t &address,
                             const bp_diag_t *diag) = 0;
  virtual void release(std::uint64_t address) = 0;
  // Between machine and host: complete on return. On the machine: a command as a launch is.
  virtual bp_status copy_in(std::uint64_t to, const void *from, std::uint64_t size, const bp_diag_t *diag) = 0;
  virtual bp_status copy_out(void *to, std::uint64_t from, std::uint64_t size, const bp_diag_t *diag) = 0;
  virtual bp_status move(std::uint64_t to, std::uint64_t from, std::uint64_t size, const bp_diag_t *diag) = 0;
  // Waits for all that this thread of the host started.
  virtual bp_status finish(const bp_diag_t *diag) = 0;
  // The moment after all that this thread started. Null if that is done already, or if it fails.
  virtual std::unique_ptr<Mark> mark(bp_status &status, const bp_diag_t *diag) = 0;
  // Whether it can be used at all.
  virtual bp_status check(const bp_diag_t *diag) const = 0;
  // The plan is kept. Null if it fails: BP_INVALID if the code is not for this machine, or damaged.
  virtual std::unique_ptr<LoadedKernels> load(const LaunchPlan &plan, std::span<const CodePart> parts,
                                              bp_status &status, const bp_diag_t *diag) = 0;

 private:
  const std::string backend_;
};

}  // namespace bp::gpu
