// The machine's memories, as pieces with handles that are not addresses. Everything that outlives a run is in DRAM. The
// scratchpad belongs to one run at a time and loses its content, so a piece of the scratchpad stands for a part that
// each run has for itself. The compiler ensures that the parts of one program fit into the scratchpad together.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>

#include "backplane/ext/memory.h"
#include "plugin_api/cpp/result.h"
#include "plugins/npu/instruction_set.h"

namespace bp::npu {

enum Space : std::uint32_t { dram = 0, scratchpad = 1 };

// Threads: all functions may be called from any thread.
class Memory {
 public:
  explicit Memory(std::uint64_t dram_bytes);
  std::span<const bp_space_t> spaces() const { return spaces_; }

  plugin::Result<bp_memory_t> alloc(std::uint32_t space, std::uint64_t size, std::uint32_t alignment);
  void release(std::uint64_t handle);
  // Copy to, or fill, a location; the locations may also be in host memory. BP_INVALID if a range is not inside its
  // piece.
  plugin::Status copy(bp_loc_t to, bp_loc_t from, std::uint64_t size) const;
  plugin::Status fill(bp_loc_t to, std::uint64_t size, std::uint64_t pattern, std::uint32_t pattern_size) const;
  // Returns the bytes from a location to the end of its piece, or nullopt if there is no such piece or the location is
  // after its end.
  std::optional<std::span<std::byte>> find(bp_loc_t place) const;

 private:
  struct Piece {
    std::unique_ptr<std::byte[]> bytes;
    std::uint64_t size;
    std::uint32_t space;
  };
  // Returns the address of a range in this process, or nullptr if the range is not inside a piece.
  std::byte *range(bp_loc_t place, std::uint64_t size) const;

  bp_space_t spaces_[2];
  std::uint64_t limits_[2], taken_[2] = {};  // bytes, by space
  std::uint64_t next_handle_ = 1;
  std::unordered_map<std::uint64_t, Piece> pieces_;
  mutable std::mutex mutex_;
};

}  // namespace bp::npu
