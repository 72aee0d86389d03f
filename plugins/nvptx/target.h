// What PTX is made for: an architecture of NVIDIA's GPUs.
#pragma once

#include <llvm/Target/TargetMachine.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace bp::nvptx {

struct Target {
  unsigned version = 90;     // 75: compute capability 7.5
  bool is_specific = false;  // sm_90a: what no later architecture has, such as wgmma

  std::string text() const;  // "sm_90a"
};

// One of sm_75, sm_80, sm_90, sm_90a; nothing, and an error that names them, of another text.
std::optional<Target> parse_target(std::string_view text, std::string &error);

// Null and an error if LLVM has no NVPTX.
std::unique_ptr<llvm::TargetMachine> make_target_machine(const Target &target, std::string &error);
// Of this process, for the emulator.
std::unique_ptr<llvm::TargetMachine> make_host_machine(std::string &error);

}  // namespace bp::nvptx
