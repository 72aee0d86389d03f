// Memory of this process that is also a file, as devices import and export it.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>

#include "backplane/ext/draft/external_memory.h"
#include "core/base/result.h"

namespace bp::conformance {

// A file in memory, mapped here.
class SharedArea {
 public:
  static Result<SharedArea> create(std::uint64_t size) {
    SharedArea area;
    area.file_ = memfd_create("conform", MFD_CLOEXEC);
    if (area.file_ < 0 || ftruncate(area.file_, static_cast<off_t>(size)) != 0) {
      return make_error(ErrorCode::Io, "the system gives no shared memory: {}", std::strerror(errno));
    }
    BP_TRY(area.map(size));
    return area;
  }
  // Maps a file that the plugin has exported, and owns its descriptor.
  static Result<SharedArea> adopt(const bp_handle_t &handle) {
    SharedArea area;
    area.file_ = static_cast<int>(handle.value);
    BP_TRY(area.map(handle.offset + handle.size));
    area.skipped_ = handle.offset;
    return area;
  }
  SharedArea(SharedArea &&other) noexcept
      : file_(std::exchange(other.file_, -1)),
        data_(std::exchange(other.data_, nullptr)),
        size_(other.size_),
        skipped_(other.skipped_) {}
  SharedArea &operator=(SharedArea &&) = delete;
  ~SharedArea() {
    if (data_ != nullptr) {
      munmap(data_, size_);
    }
    if (file_ >= 0) {
      close(file_);
    }
  }

  int file() const { return file_; }
  std::span<std::byte> bytes() const { return std::span(data_, size_).subspan(skipped_); }

 private:
  SharedArea() = default;
  Status map(std::uint64_t size) {
    void *address = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
    if (address == MAP_FAILED) {
      return make_error(ErrorCode::PluginFailure, "descriptor {} cannot be mapped: {}", file_, std::strerror(errno));
    }
    data_ = static_cast<std::byte *>(address);
    size_ = size;
    return {};
  }

  int file_ = -1;
  std::byte *data_ = nullptr;
  std::uint64_t size_ = 0, skipped_ = 0;
};

}  // namespace bp::conformance
