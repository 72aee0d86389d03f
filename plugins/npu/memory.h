// The machine's memories, as pieces with handles that are not addresses. Everything that outlives a run is in DRAM. The
// scratchpad belongs to one run at a time and loses its content, so a piece of the scratchpad stands for a part that
// each run has for itself. The compiler ensures that the parts of one program fit into the scratchpad together. The
// DMA engine also reaches memory of the host and of mapped files, which are imported as pieces of the DRAM's space.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>

#include "backplane/ext/draft/external_memory.h"
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

  std::span<const bp_external_support_t> external_support() const { return external_support_; }
  plugin::Result<bp_memory_t> import_memory(std::uint32_t space, const bp_handle_t &handle);
  // Moves the bytes of a piece to a file in memory, which the piece then shares with the owners of its handles.
  plugin::Result<bp_handle_t> export_memory(std::uint64_t memory, std::uint32_t kind);
  // Returns the number of bytes that alloc() can still give.
  std::uint64_t free_bytes(std::uint32_t space) const;

  // Copy to, or fill, a location; the locations may also be in host memory. BP_INVALID if a range is not inside its
  // piece.
  plugin::Status copy(bp_loc_t to, bp_loc_t from, std::uint64_t size) const;
  plugin::Status fill(bp_loc_t to, std::uint64_t size, std::uint64_t pattern, std::uint32_t pattern_size) const;
  // Returns the bytes from a location to the end of its piece, or nullopt if there is no such piece or the location is
  // after its end. With Access::Write, also if nothing may write to the piece.
  enum class Access { Read, Write };
  std::optional<std::span<std::byte>> find(bp_loc_t place, Access access) const;

 private:
  struct Piece {
    std::shared_ptr<std::byte[]> bytes;  // frees, unmaps or only forgets them, as they were made
    std::uint64_t size;
    std::uint32_t space;
    bool is_own = true;  // takes memory of its space; not imported
    bool is_read_only = false;
    std::shared_ptr<const int> file = nullptr;  // that of the bytes, once the piece was exported; closed with it
  };
  bp_memory_t add(Piece piece);
  // Returns the address of a range in this process, or nullptr if the range is not inside a piece.
  std::byte *range(bp_loc_t place, std::uint64_t size, Access access) const;

  bp_space_t spaces_[2];
  bp_external_support_t external_support_[2];  // by space
  std::uint64_t limits_[2], taken_[2] = {};    // bytes, by space
  std::uint64_t next_handle_ = 1;
  std::unordered_map<std::uint64_t, Piece> pieces_;
  mutable std::mutex mutex_;
};

}  // namespace bp::npu
