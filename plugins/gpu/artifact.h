// An artifact: a launch plan with the code of its kernels, as bytes that a program is loaded from.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plugin_api/cpp/result.h"
#include "plugins/gpu/launch_plan.h"

namespace bp::gpu {

// The code of `first_kernel` and of the kernels after it, up to the first kernel of the next part. Parts do not refer
// to each other.
struct CodePart {
  std::uint32_t first_kernel = 0;
  std::string code;  // as its machine loads it: PTX, or an object file of the host
};

struct Artifact {
  std::string target;  // "sm_90a", or "emulated sm_90a"
  LaunchPlan plan;
  std::vector<CodePart> parts;  // if there are kernels, at least one, which begins with kernel 0
};

// The format of a backend's artifacts.
struct ArtifactFormat {
  std::string_view magic;              // the first bytes, for the backend and the version of its format
  std::string_view backend;            // its name in messages
  std::uint32_t max_shared_bytes = 0;  // of a block, on any of its targets
};
std::string write_artifact(const Artifact &artifact, const ArtifactFormat &format);
// Fails with BP_INVALID if the bytes are not a whole artifact of this format whose commands stay inside of its tables.
plugin::Result<Artifact> read_artifact(std::span<const char> bytes, const ArtifactFormat &format);

}  // namespace bp::gpu
