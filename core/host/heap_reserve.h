// HeapReserve: reserves memory in the heap of this thread, for code that cannot report that memory is exhausted.
#pragma once

#include <cstddef>

namespace bp::host {

// While an object exists, the next allocations of this thread, `bytes` bytes in total, are served from memory that was
// obtained before. Initializers of a library run inside dlopen(), through which exceptions cannot propagate.
class HeapReserve {
 public:
  explicit HeapReserve(std::size_t bytes);
  ~HeapReserve();
  HeapReserve(const HeapReserve &) = delete;
  HeapReserve &operator=(const HeapReserve &) = delete;

  bool is_kept() const { return last_ != nullptr; }  // false: the system does not have that much memory

 private:
  void *last_ = nullptr;
};

}  // namespace bp::host
