// Finds bytes that several threads of one launch touch, one of them writing, though nothing makes the one wait for the
// other: on a GPU any of them may be the first.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace bp::nvptx {

// A thread, and how often it has waited for all of its block, and of its warp.
struct Toucher {
  std::uint32_t block, thread, block_waits, warp_waits;
};

// Finds the races of one launch. It is used by one thread.
class RaceDetector {
 public:
  struct Range {
    std::string name;  // "argument 2"
    std::uint64_t begin, bytes;
  };
  // Other memory than `ranges` is a thread's own.
  explicit RaceDetector(std::vector<Range> ranges) : ranges_(std::move(ranges)) {}

  void touch(const Toucher &by, std::uint64_t address, std::uint64_t bytes, bool is_write);
  // Memory that is new.
  void forget(std::uint64_t address, std::uint64_t bytes);
  // "thread 1 of block 0 writes byte 4 of argument 2, which thread 0 of block 0 has written"; empty: there is none.
  const std::string &first_race() const { return first_race_; }

 private:
  // Who touched it last. Two who read it, not the same: one of them is not the one who writes it next.
  struct Byte {
    Toucher writer, readers[2];
    bool was_written, was_read[2];
  };
  static constexpr std::uint64_t page_bytes = 1024;
  using Page = std::array<Byte, page_bytes>;

  Byte &byte(std::uint64_t address);
  void touch_byte(const Toucher &by, std::uint64_t address, const Range &range, bool is_write);

  std::vector<Range> ranges_;
  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;  // by number
  std::string first_race_;
};

}  // namespace bp::nvptx
