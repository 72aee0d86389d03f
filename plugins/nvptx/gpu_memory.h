// The memory of a GPU: its allocation, and copies between it and the host. All functions are called with the GPU's
// context current, and return the driver's result. Threads: all functions from any thread, except for open() and
// close().
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>

#include "plugins/nvptx/driver.h"

namespace bp::nvptx {

// Pieces come from a pool, if the GPU has pools, and otherwise one by one from the driver. The pool keeps up to a
// quarter of the GPU's memory when pieces are released, so that the next ones take microseconds. It gives up this
// memory before a piece, or memory for something else, is refused.
class GpuPieces {
 public:
  explicit GpuPieces(const GpuFacts &facts)
      : driver_(*facts.driver),
        device_(facts.device),
        has_pool_(facts.has_pools),
        kept_bytes_(facts.memory_bytes / 4) {}
  cuda::Result open();   // if it fails, pieces can still be taken, but slowly
  cuda::Result close();  // all pieces must have been released
  // Returns the memory that the pool keeps to the driver.
  cuda::Result release_cached() const;
  cuda::Result take(std::uint64_t bytes, cuda::Address &address) const;
  cuda::Result give_back(cuda::Address address) const;

 private:
  const Driver &driver_;
  cuda::Device device_;
  bool has_pool_;
  std::uint64_t kept_bytes_;
  cuda::MemoryPool pool_ = nullptr;
};

// Copies between the GPU and memory of the host that is not pinned, which the GPU cannot access. Large copies go in
// chunks through two pinned buffers: while the GPU copies one of them, the host fills or empties the other. The driver,
// which has pinned memory of its own, does the small copies, those that come while another thread uses the buffers, and
// all copies if the host has no memory left to pin.
class Staging {
 public:
  static constexpr std::size_t buffer_bytes = std::size_t{4} << 20;
  static constexpr std::size_t min_bytes = std::size_t{256} << 10;  // smaller copies are not worth two steps

  explicit Staging(const Driver &driver) : driver_(driver) {}
  cuda::Result close();
  // Copies use the calling thread's stream, and are complete on return, even if they fail.
  cuda::Result copy_in(cuda::Address to, const void *from, std::size_t bytes);
  cuda::Result copy_out(void *to, cuda::Address from, std::size_t bytes);

 private:
  struct Buffer {
    void *memory = nullptr;
    cuda::Event done = nullptr;  // after the last copy from or to the buffer
  };
  // Makes the buffers, if needed, and locks them. Returns out_of_memory if the copy has to do without them.
  cuda::Result open_for(std::size_t bytes, std::unique_lock<std::mutex> &lock);
  cuda::Result copy_in_chunks(cuda::Address to, const std::byte *from, std::size_t bytes);
  cuda::Result copy_out_chunks(std::byte *to, cuda::Address from, std::size_t bytes);
  cuda::Result finish(cuda::Result result) const;

  const Driver &driver_;
  std::mutex mutex_;
  Buffer buffers_[2];  // made when first needed
};

}  // namespace bp::nvptx
