// Kernels on a GPU: machine code that the driver makes of PTX, of several parts at the same time, as that takes longer
// than to make the PTX.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "plugins/gpu/launch_plan.h"
#include "plugins/nvptx/cubin_cache.h"
#include "plugins/nvptx/gpu_context.h"

namespace bp::nvptx {

// How code is loaded.
struct CodeLoading {
  CubinCache cache;
  unsigned capability = 0;  // of the GPU
  plugin::HostServices services;
};

// Threads: those that nothing runs on any more may go; else any.
class GpuCode {
 public:
  explicit GpuCode(const GpuContext &gpu) : gpu_(gpu) {}
  ~GpuCode();
  GpuCode(const GpuCode &) = delete;
  GpuCode &operator=(const GpuCode &) = delete;

  // Once, first. BP_INVALID if the code is not for this GPU, or lacks one of `kernels` kernels.
  bp_status load(std::span<const gpu::CodePart> parts, std::uint32_t kernels, const CodeLoading &how,
                 const bp_diag_t *diag);
  std::uint64_t bytes() const { return bytes_; }
  std::span<const cuda::Function> functions() const { return functions_; }  // by kernel

 private:
  const GpuContext &gpu_;
  std::vector<cuda::Module> modules_;  // by part; null: it was not loaded
  std::uint64_t bytes_ = 0;            // of PTX
  std::vector<cuda::Function> functions_;
};

}  // namespace bp::nvptx
