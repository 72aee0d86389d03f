// Artifact caches keep compiled artifacts in a directory, for later processes. The key of an entry covers everything
// that an artifact depends on (BP-COMPILE-01): the module's hash, the device's id, the bytes of the plugin's file, and
// the target, which includes the options.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/sha256.h"
#include "core/host/plugin.h"

namespace bp::compile {

// Any number of threads may use a cache concurrently.
class ArtifactCache {
 public:
  using Key = Sha256;

  // Returns the key of a final module for a device. Fails if the plugin's file can no longer be read.
  static Result<Key> key(const host::Device &device, const bp_module_t *module);

  virtual ~ArtifactCache() = default;
  virtual std::optional<std::vector<std::byte>> find(const Key &key) const = 0;
  // Errors: Io.
  virtual Status store(const Key &key, std::span<const std::byte> artifact) = 0;
};

// Any number of processes may use the directory concurrently; an entry either exists completely or not at all. Damaged,
// truncated and foreign files are ignored.
class DirectoryCache final : public ArtifactCache {
 public:
  // The directory is created with the first entry.
  explicit DirectoryCache(std::string directory) : directory_(std::move(directory)) {}

  std::optional<std::vector<std::byte>> find(const Key &key) const override;
  Status store(const Key &key, std::span<const std::byte> artifact) override;

 private:
  std::string path(const Key &key) const;
  std::string directory_;
};

}  // namespace bp::compile
