#include "plugins/npu/memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

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

// Maps bytes of a file. Returns nullptr if the system cannot.
std::shared_ptr<std::byte[]> map_file(int file, std::uint64_t offset, std::uint64_t size, bool is_read_only) {
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  const std::uint64_t before = offset % page;
  const std::uint64_t mapped = size + before;
  void *address = mmap(nullptr, mapped, is_read_only ? PROT_READ : PROT_READ | PROT_WRITE, MAP_SHARED, file,
                       static_cast<off_t>(offset - before));
  if (address == MAP_FAILED) {
    return nullptr;
  }
  return {static_cast<std::byte *>(address) + before, [address, mapped](std::byte *) { munmap(address, mapped); }};
}

std::string text(bp_loc_t place, std::uint64_t size) {
  return "bytes " + std::to_string(place.offset) + " to " + std::to_string(place.offset + size) + " of memory " +
         std::to_string(place.memory);
}

}  // namespace

Memory::Memory(std::uint64_t dram_bytes)
    : spaces_{{"dram", dram_bytes, alignment_of_pieces, 0, 0, 64.0f},
              {"scratchpad", scratchpad_bytes - scratch_limit, alignment_of_pieces, BP_SPACE_PER_RUN, 1, 256.0f}},
      external_support_{
          {1u << BP_HANDLE_HOST | 1u << BP_HANDLE_FD, 1u << BP_HANDLE_FD, alignment_of_pieces, alignment_of_pieces},
          {0, 0, 1, 1}},
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
  const bp_memory_t made = add({std::move(bytes), size, space});
  taken_[space] += size;
  return made;
}

bp_memory_t Memory::add(Piece piece) {
  const std::uint64_t handle = next_handle_++;
  pieces_.emplace(handle, std::move(piece));
  return {handle, nullptr, 0};
}

std::uint64_t Memory::free_bytes(std::uint32_t space) const {
  std::lock_guard lock(mutex_);
  return limits_[space] - taken_[space];
}

Result<bp_memory_t> Memory::import_memory(std::uint32_t space, const bp_handle_t &handle) {
  if (space > scratchpad || handle.kind > BP_HANDLE_FD || (external_support_[space].imports >> handle.kind & 1) == 0) {
    return Error(BP_UNSUPPORTED, "handles of kind " + std::to_string(handle.kind) + " cannot be imported into space " +
                                     std::to_string(space) + ", expected memory of the host or a file, and space 0");
  }
  const bool is_host = handle.kind == BP_HANDLE_HOST;
  const std::uint64_t begin = is_host ? handle.value + handle.offset : handle.offset;
  if (handle.size == 0 || begin % alignment_of_pieces != 0) {
    return Error(BP_INVALID, std::to_string(handle.size) + " bytes at " + std::to_string(begin) +
                                 " are to be imported, expected at least one, at a multiple of " +
                                 std::to_string(alignment_of_pieces));
  }
  Piece piece{nullptr, handle.size, space, false, (handle.flags & BP_HANDLE_READ_ONLY) != 0};
  if (is_host) {
    piece.bytes = {reinterpret_cast<std::byte *>(begin), [](std::byte *) {}};
  } else {
    struct stat file{};
    const auto descriptor = static_cast<int>(handle.value);
    if (fstat(descriptor, &file) != 0) {
      return Error(BP_INVALID, "descriptor " + std::to_string(handle.value) + " is not that of an open file");
    }
    const auto size = static_cast<std::uint64_t>(file.st_size);
    if (handle.offset > size || handle.size > size - handle.offset) {
      return Error(BP_INVALID, std::to_string(handle.size) + " bytes at " + std::to_string(handle.offset) +
                                   " are to be imported from a file of " + std::to_string(size) + " bytes");
    }
    piece.bytes = map_file(descriptor, handle.offset, handle.size, piece.is_read_only);
    if (piece.bytes == nullptr) {
      return Error(BP_INVALID,
                   "the system cannot map the file to be imported; a file opened for reading needs the "
                   "flag READ_ONLY");
    }
  }
  std::lock_guard lock(mutex_);
  return add(std::move(piece));
}

Result<bp_handle_t> Memory::export_memory(std::uint64_t memory, std::uint32_t kind) {
  std::lock_guard lock(mutex_);
  const auto found = pieces_.find(memory);
  if (found == pieces_.end() || !found->second.is_own) {
    return Error(BP_INVALID, "memory " + std::to_string(memory) + " is to be exported, expected a piece of alloc()");
  }
  Piece &piece = found->second;
  if (kind > BP_HANDLE_FD || (external_support_[piece.space].exports >> kind & 1) == 0) {
    return Error(BP_UNSUPPORTED, "a piece of " + std::string(spaces_[piece.space].name) +
                                     " cannot be exported as a handle of kind " + std::to_string(kind) +
                                     ", expected a piece of dram, and a file");
  }
  const auto no_memory = [&] {
    return Error(BP_NO_MEMORY, "the system has no memory to share for " + std::to_string(piece.size) + " bytes");
  };
  if (piece.file == nullptr) {
    const int made = memfd_create("npu", MFD_CLOEXEC);
    if (made < 0) {
      return no_memory();
    }
    std::shared_ptr<const int> file(new int(made), [](const int *owned) {
      close(*owned);
      delete owned;
    });
    std::shared_ptr<std::byte[]> shared;
    if (ftruncate(made, static_cast<off_t>(piece.size)) == 0) {
      shared = map_file(made, 0, piece.size, false);
    }
    if (shared == nullptr) {
      return no_memory();
    }
    std::memcpy(shared.get(), piece.bytes.get(), piece.size);
    piece.bytes = std::move(shared);
    piece.file = std::move(file);
  }
  const int copy = fcntl(*piece.file, F_DUPFD_CLOEXEC, 0);
  if (copy < 0) {
    return no_memory();
  }
  return bp_handle_t{BP_HANDLE_FD, 0, static_cast<std::uint64_t>(copy), 0, piece.size};
}

void Memory::release(std::uint64_t handle) {
  std::lock_guard lock(mutex_);
  if (const auto found = pieces_.find(handle); found != pieces_.end()) {
    taken_[found->second.space] -= found->second.is_own ? found->second.size : 0;
    pieces_.erase(found);
  }
}

std::optional<std::span<std::byte>> Memory::find(bp_loc_t place, Access access) const {
  std::lock_guard lock(mutex_);
  const auto found = pieces_.find(place.memory);
  if (found == pieces_.end() || place.offset > found->second.size ||
      (access == Access::Write && found->second.is_read_only)) {
    return std::nullopt;
  }
  return std::span(found->second.bytes.get(), found->second.size).subspan(place.offset);
}

std::byte *Memory::range(bp_loc_t place, std::uint64_t size, Access access) const {
  if (place.memory == 0) {
    return reinterpret_cast<std::byte *>(place.offset);
  }
  const auto piece = find(place, access);
  return piece && size <= piece->size() ? piece->data() : nullptr;
}

Status Memory::copy(bp_loc_t to, bp_loc_t from, std::uint64_t size) const {
  if (size == 0) {
    return {};
  }
  std::byte *target = range(to, size, Access::Write), *source = range(from, size, Access::Read);
  if (source == nullptr) {
    return Error(BP_INVALID, "a copy reads " + text(from, size) + ", which is not inside a piece");
  }
  if (target == nullptr) {
    return Error(BP_INVALID, "a copy writes " + text(to, size) + ", which is not inside a piece that may be written");
  }
  std::memmove(target, source, size);
  return {};
}

Status Memory::fill(bp_loc_t to, std::uint64_t size, std::uint64_t pattern, std::uint32_t pattern_size) const {
  if (size == 0) {
    return {};
  }
  std::byte *target = range(to, size, Access::Write);
  if (target == nullptr) {
    return Error(BP_INVALID, "a fill writes " + text(to, size) + ", which is not inside a piece that may be written");
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
