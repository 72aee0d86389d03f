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
  // Makes a segment of this process, filled with zeros and aligned to pages. Fails with OutOfMemory.
  static Result<std::shared_ptr<Segment>> make(std::size_t size);
  // Maps a segment that the other process made.
  static Result<std::shared_ptr<Segment>> map(const Descriptor &descriptor, std::size_t size);
  Segment(const Segment &) = delete;
  Segment &operator=(const Segment &) = delete;
  ~Segment();

  // Returns an id that differs from all others of this process and is never 0. Also used for the other memory of a
  // worker.
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

// Allocates shares. Small ones have a segment in common, because a process may have few file descriptors. A segment is
// freed with the last of its shares. Threads: all functions may be called from any thread.
class SharePool {
 public:
  // Allocates a share. `alignment` may be at most that of pages.
  Result<Share> take(std::uint64_t size, std::uint64_t alignment);

 private:
  std::mutex mutex_;
  std::shared_ptr<Segment> current_;
  std::uint64_t used_ = 0;
};

}  // namespace bp::remote
