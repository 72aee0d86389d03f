#include "core/remote/segment.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>

namespace bp::remote {

Status Segment::map_here(int descriptor, std::size_t size) {
  void *data = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (data == MAP_FAILED) {
    return make_error(ErrorCode::OutOfMemory, "no {} bytes of shared memory: {}", size, std::strerror(errno));
  }
  data_ = static_cast<std::byte *>(data);
  size_ = size;
  return {};
}

std::uint64_t Segment::next_id() {
  static std::atomic<std::uint64_t> last_id = 0;
  return ++last_id;
}

Result<std::shared_ptr<Segment>> Segment::make(std::size_t size) {
  std::shared_ptr<Segment> segment(new Segment);
  segment->id_ = next_id();
  segment->descriptor_ = Descriptor(memfd_create("backplane", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!segment->descriptor_.is_open() || ftruncate(segment->descriptor_.get(), static_cast<off_t>(size)) != 0) {
    return make_error(ErrorCode::OutOfMemory, "no {} bytes of shared memory: {}", size, std::strerror(errno));
  }
  // Without the seals the other process could truncate the segment, and reading the missing pages would be fatal.
  fcntl(segment->descriptor_.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
  BP_TRY(segment->map_here(segment->descriptor_.get(), size));
  return segment;
}

Result<std::shared_ptr<Segment>> Segment::map(const Descriptor &descriptor, std::size_t size) {
  std::shared_ptr<Segment> segment(new Segment);
  BP_TRY(segment->map_here(descriptor.get(), size));
  return segment;
}

Result<Share> SharePool::take(std::uint64_t size, std::uint64_t alignment) {
  constexpr std::uint64_t page = 4096, common_size = 1 << 20, most_in_common = 64 << 10;
  if (alignment > page) {
    return make_error(ErrorCode::Unsupported, "shared memory is aligned to {} at most, expected {}", page, alignment);
  }
  if (size > most_in_common) {
    BP_ASSIGN(auto segment, Segment::make(size));
    return Share{std::move(segment), 0};
  }
  const std::lock_guard lock(mutex_);
  if (current_ != nullptr && current_.use_count() == 1) {
    used_ = 0;  // no share of it is in use any more
  }
  std::uint64_t offset = (used_ + alignment - 1) / alignment * alignment;
  if (current_ == nullptr || size > current_->size() - std::min<std::uint64_t>(offset, current_->size())) {
    BP_ASSIGN(current_, Segment::make(common_size));
    offset = 0;
  }
  used_ = offset + size;
  return Share{current_, offset};
}

Segment::~Segment() {
  if (data_ != nullptr) {
    munmap(data_, size_);
  }
}

}  // namespace bp::remote
