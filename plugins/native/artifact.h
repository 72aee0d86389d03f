// The artifact: a header that says from which module and for which target it was made, and object files. A checksum
// covers all of it, so an artifact that is damaged or was made by another version is refused, never run.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plugin_api/cpp/result.h"

namespace bp::native {

struct Artifact {
  std::uint8_t module_hash[32] = {};
  std::uint64_t scratch_bytes = 0;              // per thread
  std::uint64_t common_bytes = 0;               // shared by all threads, in memory before their scratch
  std::vector<std::uint64_t> allocation_sizes;  // bytes; needed to run it in another process
  std::string target;                           // as the backend calls it
  std::vector<std::string> objects;
};

// The format of a backend's artifacts.
struct ArtifactFormat {
  std::string_view magic;    // up to 8 bytes, which no other backend uses
  std::string_view backend;  // its name in messages
};
std::string write_artifact(const Artifact &artifact, const ArtifactFormat &format);
// Fails with BP_INVALID if the bytes are not a complete artifact of this format and version.
plugin::Result<Artifact> read_artifact(std::span<const char> bytes, const ArtifactFormat &format);
// Fails with BP_INVALID if the artifact does not have so many allocations.
plugin::Status check_allocations(const Artifact &artifact, std::uint32_t count);

}  // namespace bp::native
