// AllocationCounter: how many bytes a piece of code really takes from the system. Executables that link this file's
// source have malloc and its kin, mmap and munmap of the whole process, plugins included, pass through it.
// Sizes are those asked for, without what the system adds.
#pragma once

#include <cstdint>

namespace bp::measure {

class AllocationCounter {
 public:
  // Counts from here on, on all threads; one counter at a time. Memory taken before is not seen, also when it is freed.
  AllocationCounter();
  ~AllocationCounter();
  AllocationCounter(const AllocationCounter &) = delete;
  AllocationCounter &operator=(const AllocationCounter &) = delete;

  // Bytes taken and not yet given back, the most there have been, and how often memory was taken.
  std::int64_t live() const;
  std::int64_t peak() const;
  std::int64_t count() const;

  // What this thread takes while one lives is not counted: of a simulated device's memory, for one.
  class Pause {
   public:
    Pause();
    ~Pause();
    Pause(const Pause &) = delete;
    Pause &operator=(const Pause &) = delete;
  };

  // False where sanitizers have these functions for themselves, or if there were more pieces than the counter can
  // remember: then the numbers mean nothing.
  bool is_valid() const;
};

}  // namespace bp::measure
