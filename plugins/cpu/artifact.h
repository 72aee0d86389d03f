// The artifact: object files behind a header that says what they were made from and for. Its checksum covers all of it,
// so what was damaged or made by another version is refused, never run.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace bp::cpu {

struct Artifact {
  std::uint8_t module_hash[32] = {};
  std::uint64_t scratch_bytes = 0;              // of a thread
  std::uint64_t common_bytes = 0;               // of all threads, before their scratch
  std::vector<std::uint64_t> allocation_sizes;  // bytes: whoever runs it elsewhere brings them
  std::string target;
  std::vector<std::string> objects;
};

std::string write_artifact(const Artifact &artifact);
// Nothing, and what is wrong in `error`, if the bytes are not a whole artifact of this version.
std::optional<Artifact> read_artifact(std::span<const char> bytes, std::string &error);

}  // namespace bp::cpu
