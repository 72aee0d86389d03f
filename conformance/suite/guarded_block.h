// A piece of memory that tells when somebody writes beside it. The host's has a page on each side that nobody may
// touch; a device's, and what the host's pages have left over, is surrounded by canaries.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/host/plugin.h"
#include "core/runtime/memory.h"

namespace bp::conformance {

class GuardedBlock {
 public:
  enum class Place : std::uint8_t { AtEnd, AtStart };  // next to the one guard or to the other

  // Filled with `poison`. Of a device that outlives it, or, if `device` is null, of the host; `alignment` is then at
  // most that of a page. Where a device has no place for the canaries it is an OutOfMemory.
  static Result<GuardedBlock> make(const host::Device *device, std::uint32_t space, std::uint64_t size,
                                   std::uint64_t alignment, Place place, std::byte poison);
  GuardedBlock(GuardedBlock &&other) noexcept;
  GuardedBlock &operator=(GuardedBlock &&) = delete;
  ~GuardedBlock();

  bp_loc_t location() const { return at(begin_); }
  Status write(std::uint64_t offset, std::span<const std::byte> bytes);
  Result<std::vector<std::byte>> read(std::uint64_t offset, std::uint64_t size) const;
  Result<bool> canaries_live() const;
  // The whole pages that hold it, and nothing else but canaries. Of the host; a device's are not known: empty.
  std::span<std::byte> pages() const { return {pages_, pages_ == nullptr ? 0 : all_}; }

 private:
  GuardedBlock() = default;
  bp_loc_t at(std::uint64_t offset) const;
  Status copy_in(std::uint64_t offset, std::span<const std::byte> bytes);
  Result<std::vector<std::byte>> copy_out(std::uint64_t offset, std::uint64_t size) const;

  const host::Device *device_ = nullptr;
  runtime::Block block_;                // of a device
  std::byte *pages_ = nullptr;          // of the host, between the guards
  std::uint64_t all_ = 0;               // bytes between the guards, or in the block
  std::uint64_t begin_ = 0, size_ = 0;  // the piece itself, in there
};

}  // namespace bp::conformance
