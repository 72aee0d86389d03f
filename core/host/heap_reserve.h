// HeapReserve: memory that the heap of this thread keeps, for code that cannot say that there is none.
#pragma once

#include <cstddef>

namespace bp::host {

// While one lives, the next allocations of this thread, of so many bytes in all, are of memory that was had before.
// Initializers of a library run inside dlopen(), out of which no exception finds its way.
class HeapReserve {
 public:
  explicit HeapReserve(std::size_t bytes);
  ~HeapReserve();
  HeapReserve(const HeapReserve &) = delete;
  HeapReserve &operator=(const HeapReserve &) = delete;

  bool is_kept() const { return last_ != nullptr; }  // or the system has not so much

 private:
  void *last_ = nullptr;
};

}  // namespace bp::host
