#include "plugins/native/artifact.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/Support/SHA256.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

namespace bp::native {
namespace {

// The header of an artifact. It is followed by the target's text, by the sizes of the allocations as uint64, and, for
// each object, by its size as uint64 and its bytes.
struct Header {
  char magic[8];
  std::uint32_t version;
  std::uint32_t object_count;
  std::uint8_t checksum[32];  // SHA-256 of everything after it
  std::uint64_t size;         // bytes of the whole artifact
  std::uint8_t module_hash[32];
  std::uint64_t scratch_bytes;
  std::uint64_t common_bytes;
  std::uint32_t allocation_count;
  std::uint32_t target_size;
};
static_assert(sizeof(Header) == 112);
constexpr std::size_t checked_from = offsetof(Header, size);
constexpr std::uint32_t version = 4;

std::array<std::uint8_t, 32> checksum(std::span<const char> bytes) {
  const auto *data = reinterpret_cast<const std::uint8_t *>(bytes.data());
  return llvm::SHA256::hash(llvm::ArrayRef<std::uint8_t>(data + checked_from, bytes.size() - checked_from));
}

std::array<char, sizeof Header::magic> magic_of(const ArtifactFormat &format) {
  std::array<char, sizeof Header::magic> magic{};
  format.magic.copy(magic.data(), magic.size());
  return magic;
}

}  // namespace

std::string write_artifact(const Artifact &artifact, const ArtifactFormat &format) {
  Header header{};
  std::ranges::copy(magic_of(format), header.magic);
  header.version = version;
  header.object_count = static_cast<std::uint32_t>(artifact.objects.size());
  std::memcpy(header.module_hash, artifact.module_hash, sizeof header.module_hash);
  header.scratch_bytes = artifact.scratch_bytes;
  header.common_bytes = artifact.common_bytes;
  header.allocation_count = static_cast<std::uint32_t>(artifact.allocation_sizes.size());
  header.target_size = static_cast<std::uint32_t>(artifact.target.size());
  std::string bytes(sizeof header, '\0');
  bytes += artifact.target;
  const std::vector<std::uint64_t> &sizes = artifact.allocation_sizes;
  bytes.append(reinterpret_cast<const char *>(sizes.data()), sizes.size() * sizeof(std::uint64_t));
  for (const std::string &object : artifact.objects) {
    const std::uint64_t size = object.size();
    bytes.append(reinterpret_cast<const char *>(&size), sizeof size);
    bytes += object;
  }
  header.size = bytes.size();
  std::memcpy(bytes.data(), &header, sizeof header);
  const auto sum = checksum(bytes);
  std::memcpy(bytes.data() + offsetof(Header, checksum), sum.data(), sum.size());
  return bytes;
}

plugin::Result<Artifact> read_artifact(std::span<const char> bytes, const ArtifactFormat &format) {
  const auto refuse = [](const std::string &why) { return plugin::Error(BP_INVALID, why); };
  Header header;
  if (bytes.size() < sizeof header) {
    return refuse("artifact of " + std::to_string(bytes.size()) + " bytes is too short for its header");
  }
  std::memcpy(&header, bytes.data(), sizeof header);
  if (!std::ranges::equal(header.magic, magic_of(format)) || header.version != version) {
    return refuse("not an artifact of this version of the " + std::string(format.backend) + " backend");
  }
  if (header.size != bytes.size()) {
    return refuse("artifact says it has " + std::to_string(header.size) + " bytes, found " +
                  std::to_string(bytes.size()));
  }
  const auto sum = checksum(bytes);
  if (std::memcmp(sum.data(), header.checksum, sum.size()) != 0) {
    return refuse("artifact is damaged: its checksum is wrong");
  }
  Artifact artifact;
  std::memcpy(artifact.module_hash, header.module_hash, sizeof artifact.module_hash);
  artifact.scratch_bytes = header.scratch_bytes;
  artifact.common_bytes = header.common_bytes;
  std::span<const char> rest = bytes.subspan(sizeof header);
  const auto take = [&](std::uint64_t size, std::string &to) {
    if (size > rest.size()) {
      return false;
    }
    to.assign(rest.data(), size);
    rest = rest.subspan(size);
    return true;
  };
  const auto take_number = [&](std::uint64_t &to) {
    std::string number;
    const bool is_there = take(sizeof to, number);
    if (is_there) {
      std::memcpy(&to, number.data(), sizeof to);
    }
    return is_there;
  };
  bool whole = take(header.target_size, artifact.target);
  for (std::uint32_t i = 0; i < header.allocation_count && whole; ++i) {
    whole = take_number(artifact.allocation_sizes.emplace_back());
  }
  for (std::uint32_t i = 0; i < header.object_count && whole; ++i) {
    std::uint64_t size = 0;
    whole = take_number(size) && take(size, artifact.objects.emplace_back());
  }
  if (!whole) {
    return refuse("artifact is damaged: the sizes in it add up to more than it has");
  }
  return artifact;
}

plugin::Status check_allocations(const Artifact &artifact, std::uint32_t count) {
  if (artifact.allocation_sizes.size() != count) {
    return plugin::Error(BP_INVALID, "artifact has " + std::to_string(artifact.allocation_sizes.size()) +
                                         " allocations, expected " + std::to_string(count));
  }
  return {};
}

}  // namespace bp::native
