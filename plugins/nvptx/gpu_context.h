// A GPU that this process has opened: by which its parts call the driver, and what becomes of them all when it is lost.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "plugins/nvptx/driver.h"

namespace bp::nvptx {

// Whether it is the code, rather than the GPU, that is at fault.
bool is_about_code(cuda::Result result);

// Reports, if somebody wants to know, that something failed, and what to do.
bp_status failed(const Driver &driver, const std::string &what, cuda::Result result, const bp_diag_t *diag);

// Threads: any.
class GpuContext {
 public:
  GpuContext(std::shared_ptr<const Driver> driver, cuda::Context context)
      : driver_(std::move(driver)), context_(context) {}

  const Driver &driver() const { return *driver_; }
  cuda::Context handle() const { return context_; }
  // Calls with the GPU's context current, and says what failed, unless nobody wants to know. Once the GPU is lost it is
  // not called any more (BP-STATUS-03).
  template <class Call>
  bp_status call(const std::string &what, const bp_diag_t *diag, Call &&function) const {
    cuda::Result result = why_lost_;
    if (result == 0) {
      const Entry entry(*this);
      result = entry.result() == 0 ? noted(function()) : entry.result();
    }
    return result == 0 ? BP_OK : failed(*driver_, what, result, diag);
  }
  // Gives something back, also after a loss, when the driver says that it failed and forgets what it had.
  template <class Call>
  void give_back(Call &&function) const {
    if (const Entry entry(*this); entry.result() == 0 || why_lost_ != 0) {
      noted(function());
    }
  }
  // Whether it can be used at all.
  bp_status check(const bp_diag_t *diag) const {
    const cuda::Result why = why_lost_;
    return why == 0 ? BP_OK : failed(*driver_, "an earlier command", why, diag);
  }

 private:
  // For as long as it lives the calling thread has the GPU's context, and then the one again that it had, if any
  // (BP-LAW-04).
  class Entry {
   public:
    explicit Entry(const GpuContext &gpu)
        : gpu_(gpu), result_(gpu.noted(gpu.driver().cuCtxPushCurrent_v2(gpu.context_))) {}
    ~Entry() {
      cuda::Context left = nullptr;
      if (result_ == 0) {
        gpu_.noted(gpu_.driver().cuCtxPopCurrent_v2(&left));
      }
    }
    Entry(const Entry &) = delete;
    Entry &operator=(const Entry &) = delete;

    cuda::Result result() const { return result_; }

   private:
    const GpuContext &gpu_;
    cuda::Result result_;
  };

  cuda::Result noted(cuda::Result result) const;

  std::shared_ptr<const Driver> driver_;
  cuda::Context context_;
  mutable std::atomic<cuda::Result> why_lost_ = 0;
};

}  // namespace bp::nvptx
