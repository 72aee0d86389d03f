#include "plugins/nvptx/gpu_context.h"

#include <algorithm>
#include <iterator>

namespace bp::nvptx {
namespace {

// Errors from which the process does not recover: every later call returns the same (CUDA's "sticky errors").
constexpr cuda::Result fatal[] = {
    4,                             // the driver shuts down
    214, 220, 226,                 // memory or a link is damaged
    700, 714, 715, 716, 717, 718,  // a kernel did an illegal access or instruction
    702, 709, 710, 719, 721,       // a kernel took too long, lost its context, asserted, failed, or leaked memory
    810, 911, 999,                 // the server of a shared GPU is gone, another device failed, or unknown
};

bool is_fatal(cuda::Result result) {
  return std::ranges::find(fatal, result) != std::end(fatal);
}

bp_status status_of(cuda::Result result) {
  return result == 0                     ? BP_OK
         : result == cuda::out_of_memory ? BP_NO_MEMORY
         : is_fatal(result)              ? BP_DEVICE_LOST
                                         : BP_INTERNAL;
}

}  // namespace

bool is_about_code(cuda::Result result) {
  return result == cuda::invalid_image || result == cuda::no_binary_for_gpu || result == cuda::invalid_ptx ||
         result == cuda::unsupported_ptx;
}

plugin::Error failed(const Driver &driver, std::string_view what, cuda::Result result) {
  const bp_status status = status_of(result);
  const char *next = status == BP_NO_MEMORY     ? "; nvidia-smi shows who uses the GPU's memory"
                     : status == BP_DEVICE_LOST ? "; the GPU is lost to this process, which has to be started again"
                                                : "; nvidia-smi shows whether GPU and driver are well";
  return plugin::Error(status, std::string(what) + ": " + driver.text(result) + next);
}

cuda::Result GpuContext::noted(cuda::Result result) const {
  if (is_fatal(result)) {
    why_lost_ = result;
  }
  return result;
}

}  // namespace bp::nvptx
