// Race detector: finds bytes that several threads of one launch access, one of them writing, although none of them
// waits for the other. On a GPU any of them may be the first.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace bp::gpu {

// A thread, and how often it has waited for all threads of its block, and of its warp.
struct Accessor {
  std::uint32_t block, thread, block_waits, warp_waits;
};

// Finds the races of one launch. It is used by one thread.
class RaceDetector {
 public:
  struct Range {
    std::string name;  // "argument 2"
    std::uint64_t begin, bytes;
  };
  // Memory outside of `ranges` belongs to one thread each.
  RaceDetector(std::vector<Range> ranges, std::uint32_t warp_size)
      : ranges_(std::move(ranges)), warp_size_(warp_size) {}

  void access(const Accessor &by, std::uint64_t address, std::uint64_t bytes, bool is_write);
  // Forgets the accesses to memory that is used anew.
  void forget(std::uint64_t address, std::uint64_t bytes);
  // The text of the first race, or empty: "thread 1 of block 0 writes byte 4 of argument 2, which thread 0 of block 0
  // has written".
  const std::string &first_race() const { return first_race_; }

 private:
  // The last accesses. There are two different readers, because one of them is not the thread that writes next.
  struct Byte {
    Accessor writer, readers[2];
    bool was_written, was_read[2];
  };
  static constexpr std::uint64_t page_bytes = 1024;
  using Page = std::array<Byte, page_bytes>;

  Byte &byte(std::uint64_t address);
  // Whether the earlier access was complete when the later one began.
  bool is_before(const Accessor &earlier, const Accessor &later) const;
  void access_byte(const Accessor &by, std::uint64_t address, const Range &range, bool is_write);

  std::vector<Range> ranges_;
  std::uint32_t warp_size_;
  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;  // by number
  std::string first_race_;
};

}  // namespace bp::gpu
