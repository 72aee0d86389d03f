#include "plugins/gpu/emulator/race_detector.h"

namespace bp::gpu {
namespace {

bool is_same(const Accessor &a, const Accessor &b) {
  return a.block == b.block && a.thread == b.thread;
}

std::string name(const Accessor &one) {
  return "thread " + std::to_string(one.thread) + " of block " + std::to_string(one.block);
}

}  // namespace

bool RaceDetector::is_before(const Accessor &earlier, const Accessor &later) const {
  const bool is_in_warp = earlier.thread / warp_size_ == later.thread / warp_size_;
  return is_same(earlier, later) ||
         (earlier.block == later.block &&
          (earlier.block_waits < later.block_waits || (is_in_warp && earlier.warp_waits < later.warp_waits)));
}

void RaceDetector::access(const Accessor &by, std::uint64_t address, std::uint64_t bytes, bool is_write) {
  for (const Range &range : ranges_) {
    if (address - range.begin < range.bytes) {
      for (std::uint64_t i = 0; i < bytes && first_race_.empty(); ++i) {
        access_byte(by, address + i, range, is_write);
      }
      return;
    }
  }
}

void RaceDetector::access_byte(const Accessor &by, std::uint64_t address, const Range &range, bool is_write) {
  Byte &at = byte(address);
  const auto found = [&](const Accessor &other, const char *did) {
    first_race_ = name(by) + (is_write ? " writes" : " reads") + " byte " + std::to_string(address - range.begin) +
                  " of " + range.name + ", which " + name(other) + did;
  };
  if (at.was_written && !is_before(at.writer, by)) {
    return found(at.writer, " has written");
  }
  if (is_write) {
    for (std::size_t i = 0; i < 2; ++i) {
      if (at.was_read[i] && !is_before(at.readers[i], by)) {
        return found(at.readers[i], " has read");
      }
    }
    at.writer = by;
    at.was_written = true;
    return;
  }
  if (at.was_read[0] && !is_same(at.readers[0], by)) {
    at.readers[1] = at.readers[0];
    at.was_read[1] = true;
  }
  at.readers[0] = by;
  at.was_read[0] = true;
}

void RaceDetector::forget(std::uint64_t address, std::uint64_t bytes) {
  if (pages_.empty()) {
    return;
  }
  for (std::uint64_t page = address / page_bytes; page <= (address + bytes) / page_bytes; ++page) {
    pages_.erase(page);
  }
}

RaceDetector::Byte &RaceDetector::byte(std::uint64_t address) {
  std::unique_ptr<Page> &page = pages_[address / page_bytes];
  if (page == nullptr) {
    page = std::make_unique<Page>();
  }
  return (*page)[address % page_bytes];
}

}  // namespace bp::gpu
