// What PTX is made for: an architecture of NVIDIA's GPUs.
#pragma once

#include <llvm/Target/TargetMachine.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "plugins/llvm/contraction/contraction.h"

namespace bp::nvptx {

struct Target {
  unsigned version = 90;     // 75: compute capability 7.5
  bool is_specific = false;  // sm_90a: what no later architecture has, such as wgmma

  std::string text() const;            // "sm_90a"
  std::uint32_t shared_bytes() const;  // of a block, if the driver is asked for them
  const emit::GpuFacts &facts() const;
  bool has_warpgroup_unit() const { return version == 90 && is_specific; }
};

// One of sm_75, sm_80, sm_90, sm_90a; nothing, and an error that names them, of another text.
std::optional<Target> parse_target(std::string_view text, std::string &error);

// The best for a GPU of this compute capability (90: 9.0); nothing, and an error, if it is older than all.
std::optional<Target> target_for(unsigned capability, std::string &error);
// Whether its code runs on such a GPU.
bool runs_on(const Target &target, unsigned capability);
// "8.1", the version of its PTX, and the CUDA version of the first driver that reads it: 12010.
std::string ptx_version(const Target &target);
int oldest_driver(const Target &target);
// What the generated code may assume of a GPU's threads: loads and stores of 16 bytes. may_round: matrix units may take f32
// as emit::MatrixElement::TF32.
emit::VectorTarget thread_target(const Target &target, bool may_round);
// The number of pointers that a kernel may take at most.
std::size_t max_parameters(const Target &target);

// Null and an error if LLVM has no NVPTX.
std::unique_ptr<llvm::TargetMachine> make_target_machine(const Target &target, std::string &error);
// The machine of this process, for the emulator.
std::unique_ptr<llvm::TargetMachine> make_host_machine(std::string &error);
// What tells its code from that of other hosts.
std::string host_text();

}  // namespace bp::nvptx
