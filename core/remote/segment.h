// Segment: memory that two processes share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

#include "core/remote/channel.h"

namespace bp::remote {

class Segment {
 public:
  // Of this process; zeros, aligned to pages. Fails with OutOfMemory.
  static Result<std::shared_ptr<Segment>> make(std::size_t size);
  // Of the other.
  static Result<std::shared_ptr<Segment>> map(const Descriptor &descriptor, std::size_t size);
  Segment(const Segment &) = delete;
  Segment &operator=(const Segment &) = delete;
  ~Segment();

  // For other memory of the worker, too: different for all that this process makes; never 0.
  static std::uint64_t next_id();
  std::uint64_t id() const { return id_; }
  std::byte *data() const { return data_; }
  std::size_t size() const { return size_; }
  const Descriptor &descriptor() const { return descriptor_; }

 private:
  Segment() = default;
  Status map_here(int descriptor, std::size_t size);

  Descriptor descriptor_;
  std::uint64_t id_ = 0;
  std::byte *data_ = nullptr;
  std::size_t size_ = 0;
};

// A part of a segment.
struct Share {
  std::shared_ptr<Segment> segment;
  std::uint64_t offset = 0;

  std::byte *data() const { return segment->data() + offset; }
};

// Hands out shares; small ones have a segment in common, as a process may have few descriptors. A segment goes with the
// last of its shares. Threads: all functions from any thread.
class SharePool {
 public:
  // `alignment`: at most that of pages.
  Result<Share> take(std::uint64_t size, std::uint64_t alignment);

 private:
  std::mutex mutex_;
  std::shared_ptr<Segment> current_;
  std::uint64_t used_ = 0;
};

}  // namespace bp::remote
