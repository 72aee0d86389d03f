// Memory: provides all bytes that a program works on, from the host or from a device with bp.memory/1. All of it is
// planned; no function here is called while a program runs.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "backplane/ext/draft/external_memory.h"
#include "backplane/ext/memory.h"
#include "core/base/result.h"
#include "core/host/plugin.h"

namespace bp::runtime {

inline constexpr std::size_t block_alignment = 64;

// One contiguous piece of memory, freed when the block is destroyed.
class Block {
 public:
  Block() = default;
  // Allocates exactly `size` bytes from the system; the content is undefined. `alignment` is a power of two, at least
  // that of a pointer. A size of 0 allocates nothing. Fails with OutOfMemory.
  static Result<Block> allocate(std::uint64_t size, std::size_t alignment = block_alignment);
  // Allocates in a memory space of a device that has bp.memory/1 and outlives the block; aligned at least as the space
  // requires. If the device has too little memory left, frees its FreeBlocks and tries again; OutOfMemory if that does
  // not help. PluginFailure if the device returns anything else.
  static Result<Block> allocate_on(const host::Device &device, std::uint32_t space, std::uint64_t size,
                                   std::size_t alignment = block_alignment);
  // Makes memory that exists into a block, which the device uses where it is (bp.external-memory/draft-1). The memory
  // must exist, and a file keep its size, as long as the block; the descriptor may be closed. Unsupported if the space
  // does not import handles of this kind, InvalidInput if the memory does not have the alignment that it requires.
  static Result<Block> import_from(const host::Device &device, std::uint32_t space, const bp_handle_t &handle);
  Block(Block &&other) noexcept;
  Block &operator=(Block &&other) noexcept;
  ~Block();

  std::size_t size() const { return size_; }
  // Empty if the host cannot access the memory.
  std::span<std::byte> bytes() const { return {data_, data_ == nullptr ? 0 : size_}; }
  // {0, 0} if the block is empty.
  bp_loc_t location() const;

 private:
  std::byte *data_ = nullptr;  // address for the host
  std::size_t size_ = 0;
  const host::Device *device_ = nullptr;  // nullptr: the host's memory
  std::uint64_t memory_ = 0;              // handle of the device
};

// Returns the handle of bytes in the host's memory; BP_HANDLE_FD handles are written by hand.
bp_handle_t host_handle(std::span<const std::byte> bytes, bool is_read_only);

// Whether the device can import handles of a kind (BP_HANDLE_) into a space.
bool can_import(const host::Device &device, std::uint32_t space, std::uint32_t kind);

// The terms on which a block is allocated. A block of the same kind can take its place.
struct BlockKind {
  bool is_on_device = false;  // otherwise in the host's memory
  std::uint32_t space = 0;    // of the device
  std::uint64_t size = 0;
  std::size_t alignment = block_alignment;
  auto operator<=>(const BlockKind &) const = default;
};

// Blocks of a device that no run uses now. They are kept for the next run of any program of the device that needs such
// a block, and freed with the last of these programs, or earlier if something else needs their memory. So what runs use
// at one time is what their plans say, and all other memory of the device can be allocated.
// Threads: any.
class FreeBlocks {
 public:
  // Returns those of the device, which all its programs share; they exist as long as one of these has them.
  static std::shared_ptr<FreeBlocks> of(const std::shared_ptr<const host::Device> &device);
  explicit FreeBlocks(std::shared_ptr<const host::Device> device) : device_(std::move(device)) {}

  // Tell that a program uses blocks of these kinds, which are kept from now on; that it does so no longer.
  void add_user(std::span<const BlockKind> kinds);
  void remove_user(std::span<const BlockKind> kinds);
  // Returns a free block of this kind, otherwise a new one. Fails as Block::allocate() and allocate_on() do.
  Result<Block> take(const BlockKind &kind);
  void keep(const BlockKind &kind, Block block);
  // Frees all blocks. Returns whether there were any.
  bool release_all();
  // The same for the blocks of a device, if any of its programs has some.
  static bool release_of(const host::Device &device);
  // Returns the number of times that blocks were freed in this way, of all devices.
  static std::uint64_t count_releases();

 private:
  struct Blocks {
    std::size_t users = 0;
    std::vector<Block> free;
  };
  std::shared_ptr<const host::Device> device_;
  std::mutex mutex_;
  std::map<BlockKind, Blocks> blocks_;
};

// Calls `attempt`, which may allocate memory of the device, again for as long as it returns BP_NO_MEMORY and FreeBlocks
// can be freed. Returns the status of the last call.
template <class Attempt>
bp_status retry_if_full(const host::Device &device, const Attempt &attempt) {
  while (true) {
    const std::uint64_t before = FreeBlocks::count_releases();
    const bp_status status = attempt();
    // Another thread may have freed blocks meanwhile, or taken those that this one frees.
    if (status != BP_NO_MEMORY || (!FreeBlocks::release_of(device) && FreeBlocks::count_releases() == before)) {
      return status;
    }
  }
}

// Copies between any two locations, one of which may be on the device; complete on return.
Status copy(const host::Device &device, bp_loc_t to, bp_loc_t from, std::uint64_t size);

// Returns the location of an address in the host's memory.
inline bp_loc_t host_location(const void *data) {
  return {0, reinterpret_cast<std::uint64_t>(data)};
}

// Memory that one run of a program needs, in bytes.
struct MemoryFigures {
  std::int64_t inputs = 0, outputs = 0;  // an output in a donated input counts as an input
  std::int64_t temporaries = 0, constants = 0;
  std::int64_t scratch = 0;   // requested by the backend in addition to the plan, per run
  std::int64_t resident = 0;  // held by the backend, by its own account, as long as the program is loaded
  // Copies of inputs and outputs in the host's memory, if the program works in memory that the host cannot access. All
  // other figures are for the memory that the program works in.
  std::int64_t staging = 0;

  // Returns the predicted peak in the memory that the program works in: all memory used while it runs, without staging
  // and without memory that the backend holds permanently. At most INT64_MAX, whatever the backend requests.
  std::int64_t peak() const;
  // Adds each figure, saturating at INT64_MAX.
  MemoryFigures &operator+=(const MemoryFigures &other);
};

}  // namespace bp::runtime
