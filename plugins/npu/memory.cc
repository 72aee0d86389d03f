#include "plugins/npu/memory.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>
#include <string>

namespace bp::npu {
namespace {

using plugin::Error;
using plugin::Result;
using plugin::Status;

constexpr std::uint32_t alignment_of_pieces = 64;
// Number of runs, prepared at the same time, for which scratchpad memory can be allocated.
constexpr std::uint64_t prepared_runs = 64;

std::string text(bp_loc_t place, std::uint64_t size) {
  return "bytes " + std::to_string(place.offset) + " to " + std::to_string(place.offset + size) + " of memory " +
         std::to_string(place.memory);
}

}  // namespace

Memory::Memory(std::uint64_t dram_bytes)
    : spaces_{{"dram", dram_bytes, alignment_of_pieces, 0, 0, 64.0f},
              {"scratchpad", scratchpad_bytes - scratch_limit, alignment_of_pieces, BP_SPACE_PER_RUN, 1, 256.0f}},
      limits_{dram_bytes, scratchpad_bytes * prepared_runs} {}

Result<bp_memory_t> Memory::alloc(std::uint32_t space, std::uint64_t size, std::uint32_t alignment) {
  if (space > scratchpad) {
    return Error(BP_INVALID, "there is no memory space " + std::to_string(space) + ", expected 0 or 1");
  }
  if (size == 0 || !std::has_single_bit(alignment)) {
    return Error(BP_INVALID, "a piece of " + std::to_string(size) + " bytes aligned to " + std::to_string(alignment) +
                                 ", expected at least one byte, and a power of two as the alignment");
  }
  std::lock_guard lock(mutex_);
  const bool is_too_large = space == scratchpad && size > scratchpad_bytes;
  if (is_too_large || size > limits_[space] - taken_[space]) {
    return Error(BP_NO_MEMORY,
                 std::string(spaces_[space].name) + " has " + std::to_string(limits_[space] - taken_[space]) + " of " +
                     std::to_string(limits_[space]) + " bytes left, but " + std::to_string(size) + " are requested");
  }
  std::unique_ptr<std::byte[]> bytes(new (std::nothrow) std::byte[size]);
  if (bytes == nullptr) {
    return Error(BP_NO_MEMORY, "out of memory: the simulator cannot allocate " + std::to_string(size) + " bytes");
  }
  const std::uint64_t handle = next_handle_++;
  pieces_.emplace(handle, Piece{std::move(bytes), size, space});
  taken_[space] += size;
  return bp_memory_t{handle, nullptr, 0};
}

void Memory::release(std::uint64_t handle) {
  std::lock_guard lock(mutex_);
  if (const auto found = pieces_.find(handle); found != pieces_.end()) {
    taken_[found->second.space] -= found->second.size;
    pieces_.erase(found);
  }
}

std::optional<std::span<std::byte>> Memory::find(bp_loc_t place) const {
  std::lock_guard lock(mutex_);
  const auto found = pieces_.find(place.memory);
  if (found == pieces_.end() || place.offset > found->second.size) {
    return std::nullopt;
  }
  return std::span(found->second.bytes.get(), found->second.size).subspan(place.offset);
}

std::byte *Memory::range(bp_loc_t place, std::uint64_t size) const {
  if (place.memory == 0) {
    return reinterpret_cast<std::byte *>(place.offset);
  }
  const auto piece = find(place);
  return piece && size <= piece->size() ? piece->data() : nullptr;
}

Status Memory::copy(bp_loc_t to, bp_loc_t from, std::uint64_t size) const {
  if (size == 0) {
    return {};
  }
  std::byte *target = range(to, size), *source = range(from, size);
  if (target == nullptr || source == nullptr) {
    return Error(BP_INVALID,
                 "a copy accesses " + text(target == nullptr ? to : from, size) + ", which is not inside a piece");
  }
  std::memmove(target, source, size);
  return {};
}

Status Memory::fill(bp_loc_t to, std::uint64_t size, std::uint64_t pattern, std::uint32_t pattern_size) const {
  if (size == 0) {
    return {};
  }
  std::byte *target = range(to, size);
  if (target == nullptr) {
    return Error(BP_INVALID, "a fill accesses " + text(to, size) + ", which is not inside a piece");
  }
  if (!std::has_single_bit(pattern_size) || pattern_size > sizeof pattern) {
    return Error(BP_INVALID, "a pattern of " + std::to_string(pattern_size) + " bytes, expected 1, 2, 4 or 8");
  }
  for (std::uint64_t at = 0; at < size; at += pattern_size) {
    std::memcpy(target + at, &pattern, std::min<std::uint64_t>(pattern_size, size - at));
  }
  return {};
}

}  // namespace bp::npu
