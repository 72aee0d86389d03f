// AllocationCounter: the number of bytes that a piece of code really allocates from the system. In executables that
// link allocation_counter.cc, calls of malloc and related functions, mmap and munmap of the whole process, plugins
// included, go through the counter. Sizes are the requested ones, without the overhead of the allocator. Executables
// that link no_counter.cc instead leave malloc alone and count nothing.
#pragma once

#include <cstdint>

namespace bp::measure {

class AllocationCounter {
 public:
  // Counts from here on, on all threads; only one counter may exist at a time. Memory allocated before is ignored, also
  // when it is freed.
  AllocationCounter();
  ~AllocationCounter();
  AllocationCounter(const AllocationCounter &) = delete;
  AllocationCounter &operator=(const AllocationCounter &) = delete;

  // Bytes allocated and not yet freed, the maximum of that number so far, and the number of allocations.
  std::int64_t live() const;
  std::int64_t peak() const;
  std::int64_t count() const;

  // While a Pause exists, allocations of its thread are not counted, for example those of a simulated device's memory.
  class Pause {
   public:
    Pause();
    ~Pause();
    Pause(const Pause &) = delete;
    Pause &operator=(const Pause &) = delete;
  };

  // Returns false if the numbers are meaningless: nothing is counted, sanitizers provide these functions themselves, or
  // there were more blocks than the counter can record.
  bool is_valid() const;
  // Whether this executable was linked to count.
  static bool is_linked();
};

}  // namespace bp::measure
