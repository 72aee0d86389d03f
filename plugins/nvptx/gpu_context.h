// GPU context: a GPU that this process has opened. All calls of the driver go through it, and it knows when the GPU is
// lost.
#pragma once

#include <atomic>
#include <memory>
#include <string_view>

#include "plugin_api/cpp/result.h"
#include "plugins/nvptx/driver.h"

namespace bp::nvptx {

// Whether the result says that the code is at fault, not the GPU.
bool is_about_code(cuda::Result result);

// Returns the error that something failed, which also says what to do.
plugin::Error failed(const Driver &driver, std::string_view what, cuda::Result result);

// Threads: any.
class GpuContext {
 public:
  GpuContext(std::shared_ptr<const Driver> driver, cuda::Context context)
      : driver_(std::move(driver)), context_(context) {}

  const Driver &driver() const { return *driver_; }
  cuda::Context handle() const { return context_; }
  // Calls the function with the GPU's context current. Once the GPU is lost the function is not called any more
  // (BP-STATUS-03).
  template <class Call>
  plugin::Status call(std::string_view what, Call &&function) const {
    cuda::Result result = why_lost_;
    if (result == 0) {
      const Entry entry(*this);
      result = entry.result() == 0 ? noted(function()) : entry.result();
    }
    return result == 0 ? plugin::Status() : failed(*driver_, what, result);
  }
  // Calls a function that releases something. It is also called after a loss, when the driver reports a failure, but
  // forgets its state.
  template <class Call>
  void give_back(Call &&function) const {
    if (const Entry entry(*this); entry.result() == 0 || why_lost_ != 0) {
      noted(function());
    }
  }
  // Fails if the GPU is lost.
  plugin::Status check() const {
    const cuda::Result why = why_lost_;
    return why == 0 ? plugin::Status() : failed(*driver_, "an earlier command", why);
  }

 private:
  // As long as this object lives the GPU's context is the current one of the calling thread; then the context that was
  // current before is so again (BP-LAW-04).
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
