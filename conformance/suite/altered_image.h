// A module image that was changed: something in it that no plugin has heard of (BP-LAW-05, BP-MODULE-07), or anything
// else. Its hash is right.
#pragma once

#include <cstdint>
#include <vector>

#include "core/host/image_pools.h"

namespace bp::conformance {

class AlteredImage {
 public:
  explicit AlteredImage(const bp_module_t *module);

  // To be changed before module() is called.
  host::ImagePools pools;

  // A section of a few bytes.
  void add_section(std::uint32_t id) { unknown_sections_.push_back(id); }
  // An attribute of one number for every instruction; keys are sorted, so `key` is greater than all there are.
  void add_attribute(std::uint16_t key);

  // Laid out and hashed; valid as long as this is.
  const bp_module_t *module();
  std::span<const std::byte> bytes() const { return storage_; }

 private:
  void append_sections();

  bp_module_t header_;
  std::vector<std::uint32_t> unknown_sections_;
  host::Image::Storage storage_;
};

}  // namespace bp::conformance
