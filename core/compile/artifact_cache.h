// Artifact cache: keeps compiled artifacts in a directory, for later processes. The key of an entry covers everything
// that an artifact depends on (BP-COMPILE-01): the module's hash, the device's id, the bytes of the plugin's file, and
// the target, which includes the options. Damaged, truncated and foreign files are ignored.
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

// Any number of threads and processes may use it concurrently; an entry either exists completely or not at all.
class ArtifactCache {
 public:
  using Key = Sha256;

  // The directory is created with the first entry.
  explicit ArtifactCache(std::string directory) : directory_(std::move(directory)) {}

  // Returns the key of a final module for a device. Fails if the plugin's file can no longer be read.
  static Result<Key> key(const host::Device &device, const bp_module_t *module);

  std::optional<std::vector<std::byte>> find(const Key &key) const;
  // Errors: Io.
  Status store(const Key &key, std::span<const std::byte> artifact) const;

 private:
  std::string path(const Key &key) const;
  std::string directory_;
};

}  // namespace bp::compile
