// The code of kernels on a GPU: machine code that the driver makes of PTX. Several parts are compiled at the same time,
// because this takes longer than making the PTX.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "plugins/gpu/artifact.h"
#include "plugins/nvptx/cubin_cache.h"
#include "plugins/nvptx/gpu_context.h"

namespace bp::nvptx {

// How code is loaded.
struct CodeLoading {
  CubinCache cache;
  unsigned capability = 0;  // of the GPU
  plugin::HostServices services;
};

// Threads: any. It may be destroyed once none of its kernels runs any more.
class GpuCode {
 public:
  explicit GpuCode(const GpuContext &gpu) : gpu_(gpu) {}
  ~GpuCode();
  GpuCode(const GpuCode &) = delete;
  GpuCode &operator=(const GpuCode &) = delete;

  // Loads the code, once, first. Fails with BP_INVALID if the code is not for this GPU, or lacks one of `kernels`
  // kernels.
  plugin::Status load(std::span<const gpu::CodePart> parts, std::uint32_t kernels, const CodeLoading &how);
  std::uint64_t bytes() const { return bytes_; }
  std::span<const cuda::Function> functions() const { return functions_; }  // by kernel

 private:
  const GpuContext &gpu_;
  std::vector<cuda::Module> modules_;  // by part; null: not loaded
  std::uint64_t bytes_ = 0;            // of PTX
  std::vector<cuda::Function> functions_;
};

}  // namespace bp::nvptx
