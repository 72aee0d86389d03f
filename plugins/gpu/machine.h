// Machine: runs kernels and owns their memory. It is a GPU, used through its driver, or the emulator on the host.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "backplane/ext/memory.h"
#include "plugins/gpu/artifact.h"
#include "plugins/gpu/launch_plan.h"

namespace bp::gpu {

// The status of a failure after which something may have been written: BP_NO_MEMORY means that nothing was written
// (BP-STATUS-02).
inline bp_status after_writing(bp_status status) {
  return status == BP_NO_MEMORY ? BP_INTERNAL : status;
}

// The kernels of a launch plan, ready to run. Threads: any, at the same time.
class LoadedKernels {
 public:
  virtual ~LoadedKernels() = default;
  // Starts a segment of the plan, one of segments(). Its commands take effect in some order that their dependences
  // allow; otherwise the commands of one thread of the host take effect in order. bases: the addresses of the
  // allocations, scratch memory last. Returns BP_NO_MEMORY only if nothing of it was started.
  virtual bp_status start(std::uint32_t segment, std::span<const std::uint64_t> bases, const bp_diag_t *diag) const = 0;
  virtual std::uint64_t resident_bytes() const = 0;
};

// A moment on the stream of one thread of the host. Threads: any.
class Mark {
 public:
  virtual ~Mark() = default;
  // Blocks until all commands that were started before it are done.
  virtual bp_status wait(const bp_diag_t *diag) const = 0;
  // Makes all commands that this thread starts from here on wait for them, too; the thread itself does not wait.
  virtual bp_status hold(const bp_diag_t *diag) const = 0;
};

// Addresses are those of the machine. Threads: all functions from any thread.
class Machine {
 public:
  // backend: the name of the backend, with which messages begin.
  explicit Machine(std::string backend) : backend_(std::move(backend)) {}
  virtual ~Machine() = default;
  const std::string &backend() const { return backend_; }
  virtual bp_status allocate(std::uint64_t size, std::uint32_t alignment, std::uint64_t &address,
                             const bp_diag_t *diag) = 0;
  virtual void release(std::uint64_t address) = 0;
  // Copies between machine and host are complete on return. A move within the machine is a command, as a launch is.
  virtual bp_status copy_in(std::uint64_t to, const void *from, std::uint64_t size, const bp_diag_t *diag) = 0;
  virtual bp_status copy_out(void *to, std::uint64_t from, std::uint64_t size, const bp_diag_t *diag) = 0;
  virtual bp_status move(std::uint64_t to, std::uint64_t from, std::uint64_t size, const bp_diag_t *diag) = 0;
  // Waits for all commands that this thread of the host started.
  virtual bp_status finish(const bp_diag_t *diag) = 0;
  // Marks the moment after all commands that this thread started. Returns nullptr if they are done already, or if it
  // fails.
  virtual std::unique_ptr<Mark> mark(bp_status &status, const bp_diag_t *diag) = 0;
  // Whether the machine can be used at all.
  virtual bp_status check(const bp_diag_t *diag) const = 0;
  // Loads the code of a plan, to which it keeps a reference. Returns nullptr if it fails, with BP_INVALID if the code
  // is damaged or not for this machine.
  virtual std::unique_ptr<LoadedKernels> load(const LaunchPlan &plan, std::span<const CodePart> parts,
                                              bp_status &status, const bp_diag_t *diag) = 0;

 private:
  const std::string backend_;
};

}  // namespace bp::gpu
