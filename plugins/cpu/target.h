// The target that code is generated for: an architecture and its features. Features come from CPUID, never from the
// CPU's name, which virtual machines report incorrectly.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "plugin_api/cpp/result.h"
#include "plugins/native/target.h"

namespace bp::cpu {

struct Target {
  std::string triple;
  std::vector<std::string> features;  // LLVM's names without "+", sorted; without those that every such CPU has
  emit::VectorTarget vectors;

  // Returns a text such as "x86_64-pc-linux-gnu:avx,avx2,...", the key of artifacts. parse_target() reads it.
  std::string text() const;
  bool has(std::string_view feature) const;
  // Returns why code for this target does not run on `host`, or an empty string if it does.
  std::string missing_on(const Target &host) const;
};

// Returns the target of the machine that this process runs on.
Target host_target();
// Returns the machine without the features for which LLVM is known to generate wrong code. They are used only if the
// user asks for them.
Target trusted_part(const Target &machine);
// Parses a text such as "x86_64-pc-linux-gnu:avx2,fma", or a triple alone for the features that every such CPU has. If
// no code can be generated for it, fails with BP_INVALID and a message that names the known targets or features.
plugin::Result<Target> parse_target(std::string_view text);
// Returns the target with other features. Names without a sign replace the target's features: features ("avx2,fma"), a
// level of x86-64 ("x86-64-v3"), a version of the Arm architecture ("armv8.2-a") or a CPU ("cortex-a76"). Names with a
// sign, such as "+fma,-avx512f", change the features before them in the list, or the target's own at its beginning.
// Adding a feature also adds those that it needs; removing one also removes those that need it.
plugin::Result<Target> with_features(const Target &target, std::string_view list);

// Returns the target as LLVM needs it.
native::Target native_target(const Target &target);

}  // namespace bp::cpu
