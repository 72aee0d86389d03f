// A module image that was changed: it contains something that no plugin knows (BP-LAW-05, BP-MODULE-07), or has any
// other change. Its hash is right.
#pragma once

#include <cstdint>
#include <vector>

#include "core/host/image_pools.h"

namespace bp::conformance {

class AlteredImage {
 public:
  explicit AlteredImage(const bp_module_t *module);

  // May be changed until module() is called.
  host::ImagePools pools;

  // Adds a section of a few bytes.
  void add_section(std::uint32_t id) { unknown_sections_.push_back(id); }
  // Adds an attribute with one number to every instruction. Keys are sorted, so `key` must be greater than all that
  // exist.
  void add_attribute(std::uint16_t key);

  // Lays out and hashes the image; the result is valid as long as this object.
  const bp_module_t *module();
  std::span<const std::byte> bytes() const { return storage_; }

 private:
  void append_sections();

  bp_module_t header_;
  std::vector<std::uint32_t> unknown_sections_;
  host::Image::Storage storage_;
};

}  // namespace bp::conformance
