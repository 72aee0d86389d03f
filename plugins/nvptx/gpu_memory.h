// A GPU's memory: pieces of it, and the way between it and the host. All is called with the GPU's context current, and
// gives what the driver gave. Threads: all functions from any thread, but open() and close().
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>

#include "plugins/nvptx/driver.h"

namespace bp::nvptx {

// Pieces come from a pool, where the GPU has pools, and one by one from the driver otherwise. The pool keeps a quarter of
// the GPU's memory, when it is given back, for the next piece, which then costs microseconds; but what it keeps is given
// up before a piece, or memory for something else, is refused.
class GpuPieces {
 public:
  explicit GpuPieces(const GpuFacts &facts)
      : driver_(*facts.driver),
        device_(facts.device),
        has_pool_(facts.has_pools),
        kept_bytes_(facts.memory_bytes / 4) {}
  cuda::Result open();   // if it fails, pieces come all the same, but slower
  cuda::Result close();  // all pieces were given back
  // Gives the driver what the pool keeps.
  cuda::Result give_up_kept() const;
  cuda::Result take(std::uint64_t bytes, cuda::Address &address) const;
  cuda::Result give_back(cuda::Address address) const;

 private:
  const Driver &driver_;
  cuda::Device device_;
  bool has_pool_;
  std::uint64_t kept_bytes_;
  cuda::MemoryPool pool_ = nullptr;
};

// Copies between the GPU and memory of the host that is not pinned, which the GPU cannot reach by itself. Large copies
// go in chunks by two pinned buffers: while the GPU copies the one, the host fills or empties the other. What is small,
// or comes while another thread uses the buffers, or where the host has no memory left to pin, goes the driver's way,
// which has pinned memory of its own.
class Staging {
 public:
  static constexpr std::size_t buffer_bytes = std::size_t{4} << 20;
  static constexpr std::size_t min_bytes = std::size_t{256} << 10;  // what is smaller is not worth two steps

  explicit Staging(const Driver &driver) : driver_(driver) {}
  cuda::Result close();
  // On the calling thread's stream; complete on return, also if they fail.
  cuda::Result copy_in(cuda::Address to, const void *from, std::size_t bytes);
  cuda::Result copy_out(void *to, cuda::Address from, std::size_t bytes);

 private:
  struct Buffer {
    void *memory = nullptr;
    cuda::Event done = nullptr;  // the last copy from or to it
  };
  // Gets the buffers ready, and locks them. out_of_memory if the copy has to do without.
  cuda::Result open_for(std::size_t bytes, std::unique_lock<std::mutex> &lock);
  cuda::Result copy_in_chunks(cuda::Address to, const std::byte *from, std::size_t bytes);
  cuda::Result copy_out_chunks(std::byte *to, cuda::Address from, std::size_t bytes);
  cuda::Result finish(cuda::Result result) const;

  const Driver &driver_;
  std::mutex mutex_;
  Buffer buffers_[2];  // made when first needed
};

}  // namespace bp::nvptx
