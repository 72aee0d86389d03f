// Memory: where every byte comes from that a program works on: the host's, or that of a device with bp.memory/1. All of
// it is planned; nothing here is called while a program runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "backplane/ext/memory.h"
#include "core/base/result.h"
#include "core/host/plugin.h"

namespace bp::runtime {

inline constexpr std::size_t block_alignment = 64;

// One contiguous piece of memory, given back when the block goes.
class Block {
 public:
  Block() = default;
  // Takes exactly `size` bytes from the system; the content is undefined. `alignment` is a power of two, at least that
  // of a pointer. A size of 0 takes nothing. Fails with OutOfMemory.
  static Result<Block> allocate(std::uint64_t size, std::size_t alignment = block_alignment);
  // As above, in a memory space of a device that has bp.memory/1 and outlives the block; aligned as the space demands
  // at the least. What is not such a piece is a PluginFailure.
  static Result<Block> allocate_on(const host::Device &device, std::uint32_t space, std::uint64_t size,
                                   std::size_t alignment = block_alignment);
  Block(Block &&other) noexcept;
  Block &operator=(Block &&other) noexcept;
  ~Block();

  std::size_t size() const { return size_; }
  // Empty if the host cannot address it.
  std::span<std::byte> bytes() const { return {data_, data_ == nullptr ? 0 : size_}; }
  // {0, 0} if the block is empty.
  bp_loc_t location() const;

 private:
  std::byte *data_ = nullptr;  // for the host
  std::size_t size_ = 0;
  const host::Device *device_ = nullptr;  // null: the host's memory
  std::uint64_t memory_ = 0;              // of the device
};

// Copies between any two places, one of which may be on the device; complete on return.
Status copy(const host::Device &device, bp_loc_t to, bp_loc_t from, std::uint64_t size);

// A place in the host's memory.
inline bp_loc_t host_place(const void *data) {
  return {0, reinterpret_cast<std::uint64_t>(data)};
}

// What one run of a program needs, in bytes.
struct MemoryFigures {
  std::int64_t inputs = 0, outputs = 0;  // an output in the place of a donated input counts as an input
  std::int64_t temporaries = 0, constants = 0;
  std::int64_t scratch = 0;   // asked for by the backend beside the plan, per run
  std::int64_t resident = 0;  // what the backend says it holds as long as the program is loaded
  // In the host's memory, where the program works in a memory that the host cannot address: what the host sees of
  // inputs and outputs. All else is of the memory that the program works in.
  std::int64_t staging = 0;

  // The predicted peak, where the program works: all that is taken while it runs, without staging and what the backend
  // holds anyway. No more than INT64_MAX, however much a backend asks for.
  std::int64_t peak() const;
  // Adds each figure, up to INT64_MAX.
  MemoryFigures &operator+=(const MemoryFigures &other);
};

}  // namespace bp::runtime
