// What code is generated for: an architecture and its features. Features come from CPUID, never from the CPU's name,
// which virtual machines get wrong.
#pragma once

#include <llvm/Target/TargetMachine.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/llvm/contraction/contraction.h"

namespace bp::cpu {

struct Target {
  std::string triple;
  std::vector<std::string> features;  // sorted, as LLVM names them, without "+"; what every such CPU has is left out
  emit::VectorTarget vectors;

  // "x86_64-pc-linux-gnu:avx,avx2,...": the key of artifacts; parse_target reads it.
  std::string text() const;
  bool has(std::string_view feature) const;
  // Why code for this one does not run on the other; empty if it does.
  std::string missing_on(const Target &host) const;
};

// The machine that this runs on.
Target host_target();
// A machine without the features for which the code that LLVM makes is known to be wrong: who wants them asks for them.
Target trusted_part(const Target &machine);
// "x86_64-pc-linux-gnu:avx2,fma", or a triple alone for the least every such CPU has. Nothing, and an error that names
// what is known, if no code can be generated for it.
std::optional<Target> parse_target(std::string_view text, std::string &error);
// The target with other features: "avx2,fma" or a level of x86-64, "x86-64-v3", are these alone; "+fma,-avx512f" is
// added to those before it, at the beginning to the target's own. A feature brings those that it needs and takes
// those that need it.
std::optional<Target> with_features(const Target &target, std::string_view list, std::string &error);

// Null and an error if LLVM refuses.
std::unique_ptr<llvm::TargetMachine> make_target_machine(const Target &target, std::string &error);

}  // namespace bp::cpu
