// A block of memory that detects writes outside its bounds. Host memory has an inaccessible page on each side; device
// memory, and the rest of the host's pages, is surrounded by canaries.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/host/plugin.h"
#include "core/runtime/memory.h"

namespace bp::conformance {

class GuardedBlock {
 public:
  enum class Side : std::uint8_t { AtEnd, AtStart };  // adjacent to the guard behind it or before it

  // Makes a block filled with `poison`, in the memory of a device, which must outlive it, or, if `device` is nullptr,
  // of the host; then `alignment` is at most that of a page. OutOfMemory if the device has no room for the canaries.
  static Result<GuardedBlock> make(const host::Device *device, std::uint32_t space, std::uint64_t size,
                                   std::uint64_t alignment, Side side, std::byte poison);
  GuardedBlock(GuardedBlock &&other) noexcept;
  GuardedBlock &operator=(GuardedBlock &&) = delete;
  ~GuardedBlock();

  bp_loc_t location() const { return at(begin_); }
  Status write(std::uint64_t offset, std::span<const std::byte> bytes);
  Result<std::vector<std::byte>> read(std::uint64_t offset, std::uint64_t size) const;
  Result<bool> canaries_live() const;
  // The whole pages of host memory that hold the block, and besides it only canaries. Empty for a block of a device.
  std::span<std::byte> pages() const { return {pages_, pages_ == nullptr ? 0 : all_}; }

 private:
  GuardedBlock() = default;
  bp_loc_t at(std::uint64_t offset) const;
  Status copy_in(std::uint64_t offset, std::span<const std::byte> bytes);
  Result<std::vector<std::byte>> copy_out(std::uint64_t offset, std::uint64_t size) const;

  const host::Device *device_ = nullptr;
  runtime::Block block_;                // memory of a device
  std::byte *pages_ = nullptr;          // memory of the host between the guard pages
  std::uint64_t all_ = 0;               // bytes between the guard pages, or in `block_`
  std::uint64_t begin_ = 0, size_ = 0;  // offset and size of the usable block in there
};

}  // namespace bp::conformance
