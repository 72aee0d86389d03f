// Kernels on a GPU: machine code that the driver makes of PTX.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "plugins/nvptx/cubin_cache.h"
#include "plugins/nvptx/gpu_context.h"

namespace bp::nvptx {

// Threads: those that nothing runs on any more may go; else any.
class GpuCode {
 public:
  explicit GpuCode(const GpuContext &gpu) : gpu_(gpu) {}
  ~GpuCode();
  GpuCode(const GpuCode &) = delete;
  GpuCode &operator=(const GpuCode &) = delete;

  // Once, first. capability: of the GPU. BP_INVALID if the code is not for this GPU, or lacks one of `kernels` kernels.
  bp_status load(const std::string &ptx, std::uint32_t kernels, const CubinCache &cache, unsigned capability,
                 const bp_diag_t *diag);
  std::span<const cuda::Function> functions() const { return functions_; }  // by kernel

 private:
  const GpuContext &gpu_;
  cuda::Module module_ = nullptr;
  std::vector<cuda::Function> functions_;
};

}  // namespace bp::nvptx
