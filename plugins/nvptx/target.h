// Targets of PTX: architectures of NVIDIA's GPUs.
#pragma once

#include <llvm/Target/TargetMachine.h>

#include <memory>
#include <string>
#include <string_view>

#include "plugin_api/cpp/result.h"
#include "plugins/gpu/artifact.h"
#include "plugins/gpu/target.h"

namespace bp::nvptx {

struct Target {
  unsigned version = 90;     // 75: compute capability 7.5
  bool is_specific = false;  // sm_90a: with features that no later architecture has, such as wgmma

  std::string text() const;  // "sm_90a"
  const emit::GpuFacts &facts() const;
};

// Shared memory that a kernel can use without asking the driver for more.
inline constexpr std::uint32_t usual_shared_bytes = 48 * 1024;
inline constexpr gpu::ArtifactFormat artifact_format = {
    .magic = "BPNVPTX8", .backend = "NVPTX", .max_shared_bytes = 227 * 1024};

// One of sm_75, sm_80, sm_90, sm_90a. For another text fails with BP_INVALID and a message that names them.
plugin::Result<Target> parse_target(std::string_view text);

// The best target for a GPU of this compute capability (90: 9.0). Fails with BP_DEVICE_LOST if it is older than all
// targets.
plugin::Result<Target> target_for(unsigned capability);
// Whether code for the target runs on a GPU of this compute capability.
bool runs_on(const Target &target, unsigned capability);
// The version of the target's PTX: "8.1".
std::string ptx_version(const Target &target);
// The CUDA version of the first driver that reads the target's PTX: 12010.
int oldest_driver(const Target &target);
// The facts that kernels and launch plans depend on. Threads load and store 16 bytes at a time. may_round: matrix units
// may multiply f32 as emit::MatrixElement::TF32.
gpu::Target gpu_target(const Target &target, bool may_round);

// Fails with BP_INTERNAL if LLVM has no NVPTX. Threads: any.
plugin::Result<std::unique_ptr<llvm::TargetMachine>> make_target_machine(const Target &target);

}  // namespace bp::nvptx
