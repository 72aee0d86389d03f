// Artifact cache: what backends compiled, in a directory, for the next process. An entry is found by everything that an
// artifact depends on (BP-COMPILE-01): the module's hash, the device's id, the bytes of the plugin's file, and the target,
// which says the options. An entry that is damaged, cut off or not ours is no entry.
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

// Threads and processes: any number at a time; an entry is there as a whole or not at all.
class ArtifactCache {
 public:
  using Key = Sha256;

  // The directory is made with the first entry.
  explicit ArtifactCache(std::string directory) : directory_(std::move(directory)) {}

  // Of a final module for a device. Fails if the plugin's file cannot be read any more.
  static Result<Key> key(const host::Device &device, const bp_module_t *module);

  std::optional<std::vector<std::byte>> find(const Key &key) const;
  // Errors: Io.
  Status store(const Key &key, std::span<const std::byte> artifact) const;

 private:
  std::string path(const Key &key) const;
  std::string directory_;
};

}  // namespace bp::compile
