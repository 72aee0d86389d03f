// The allocations of a run in memory that another process can map, too. The memory contains
//
//   uint64 number of allocations; uint64 offset of scratch; for each allocation its offset, as bp_loc_t;
//   the allocations; memory that threads share; scratch
//
// with offsets in bytes from the beginning. Allocations that have the same address (an output in the memory of an
// input) have the same offset.
#pragma once

#include <cstdint>
#include <map>
#include <span>

#include "backplane/ext/memory.h"

namespace bp::native {

class SharedMemory {
 public:
  // Copies the allocations, whose addresses and sizes are given. `common` and `scratch` are sizes, too.
  SharedMemory(std::span<const bp_loc_t> allocations, std::span<const std::uint64_t> sizes, std::uint64_t common,
               std::uint64_t scratch);
  ~SharedMemory();
  SharedMemory(const SharedMemory &) = delete;
  SharedMemory &operator=(const SharedMemory &) = delete;

  bool is_there() const { return memory_ != nullptr; }  // if not, errno says why
  int file() const { return file_; }
  // Copies back only the allocations that changed, because other runs may be reading the rest.
  void copy_back() const;

 private:
  struct Piece {
    std::uint64_t size = 0, at = 0;
  };

  std::map<std::uint64_t, Piece> pieces_;  // by address in this process
  std::uint64_t size_ = 0;
  int file_ = -1;
  char *memory_ = nullptr;
};

}  // namespace bp::native
