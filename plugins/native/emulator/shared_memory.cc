#include "plugins/native/emulator/shared_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace bp::native {
namespace {

std::uint64_t align_to_64(std::uint64_t bytes) {
  return (bytes + 63) / 64 * 64;
}

}  // namespace

SharedMemory::SharedMemory(std::span<const bp_loc_t> allocations, std::span<const std::uint64_t> sizes,
                           std::uint64_t common, std::uint64_t scratch) {
  std::uint64_t end = align_to_64(2 * sizeof(std::uint64_t) + allocations.size_bytes());
  for (std::size_t i = 0; i < allocations.size(); ++i) {
    Piece &piece = pieces_[allocations[i].offset];
    piece.size = std::max(piece.size, sizes[i]);
  }
  for (auto &[address, piece] : pieces_) {
    piece.at = end;
    end = align_to_64(end + piece.size);
  }
  size_ = end + common + scratch;
  file_ = memfd_create("bp-emulated", MFD_CLOEXEC);
  if (file_ < 0 || ftruncate(file_, static_cast<off_t>(size_)) != 0) {
    return;
  }
  void *mapped = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
  if (mapped == MAP_FAILED) {
    return;
  }
  memory_ = static_cast<char *>(mapped);
  const std::uint64_t header[] = {allocations.size(), end + common};
  std::memcpy(memory_, header, sizeof header);
  for (std::size_t i = 0; i < allocations.size(); ++i) {
    const bp_loc_t place = {0, pieces_[allocations[i].offset].at};
    std::memcpy(memory_ + sizeof header + i * sizeof place, &place, sizeof place);
  }
  for (const auto &[address, piece] : pieces_) {
    if (piece.size != 0) {
      std::memcpy(memory_ + piece.at, reinterpret_cast<const void *>(address), piece.size);
    }
  }
}

SharedMemory::~SharedMemory() {
  if (memory_ != nullptr) {
    munmap(memory_, size_);
  }
  if (file_ >= 0) {
    close(file_);
  }
}

void SharedMemory::copy_back() const {
  for (const auto &[address, piece] : pieces_) {
    auto *to = reinterpret_cast<void *>(address);
    if (piece.size != 0 && std::memcmp(to, memory_ + piece.at, piece.size) != 0) {
      std::memcpy(to, memory_ + piece.at, piece.size);
    }
  }
}

}  // namespace bp::native
