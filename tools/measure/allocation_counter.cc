// The functions below replace those of the C library in the whole process, and call them by their second names. While a
// counter exists, the size of each block is kept in a hash table of fixed size: free() does not get the size, and a
// growing table would have to allocate.
#include "tools/measure/allocation_counter.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <mutex>
#include <new>

#include "core/base/sanitizers.h"

namespace bp::measure {
namespace {

constinit thread_local int pauses = 0;  // number of AllocationCounter::Pause objects of this thread

class Table {
 public:
  void start() {
    lock();
    for (Piece &piece : pieces_) {
      piece = {};
    }
    used_ = live_ = peak_ = count_ = 0;
    overflow_ = false;
    active_.store(true, std::memory_order_release);
    unlock();
  }
  void stop() { active_.store(false, std::memory_order_release); }

  void add(void *address, std::size_t size) {
    if (!active_.load(std::memory_order_acquire) || address == nullptr || pauses != 0) {
      return;
    }
    lock();
    std::size_t at = slot_of(address);
    while (pieces_[at].address != nullptr && pieces_[at].address != removed) {
      at = (at + 1) % capacity;
    }
    if (pieces_[at].address == nullptr && ++used_ == capacity - 1) {
      overflow_ = true;  // one slot stays empty, so that searches terminate
      --used_;
    } else {
      pieces_[at] = {address, size};
    }
    live_ += static_cast<std::int64_t>(size);
    peak_ = live_ > peak_ ? live_ : peak_;
    ++count_;
    unlock();
  }

  void remove(void *address) {
    if (!active_.load(std::memory_order_acquire) || address == nullptr) {
      return;
    }
    lock();
    for (std::size_t at = slot_of(address); pieces_[at].address != nullptr; at = (at + 1) % capacity) {
      if (pieces_[at].address == address) {
        live_ -= static_cast<std::int64_t>(pieces_[at].size);
        pieces_[at].address = removed;
        break;
      }
    }
    unlock();
  }

  std::int64_t live() { return read(live_); }
  std::int64_t peak() { return read(peak_); }
  std::int64_t count() { return read(count_); }
  bool overflow() { return overflow_; }

 private:
  struct Piece {
    void *address = nullptr;
    std::size_t size = 0;
  };
  static constexpr std::size_t capacity = 1 << 16;
  static inline void *const removed = reinterpret_cast<void *>(1);

  static std::size_t slot_of(void *address) {
    return (reinterpret_cast<std::uintptr_t>(address) >> 4) * 0x9e3779b97f4a7c15u % capacity;
  }
  std::int64_t read(const std::int64_t &number) {
    lock();
    std::int64_t result = number;
    unlock();
    return result;
  }
  void lock() {
    while (flag_.test_and_set(std::memory_order_acquire)) {
    }
  }
  void unlock() { flag_.clear(std::memory_order_release); }

  std::atomic<bool> active_ = false;
  std::atomic_flag flag_;
  Piece pieces_[capacity];
  std::size_t used_ = 0;
  std::int64_t live_ = 0, peak_ = 0, count_ = 0;
  bool overflow_ = false;
};

constinit Table table;

}  // namespace

AllocationCounter::Pause::Pause() {
  ++pauses;
}
AllocationCounter::Pause::~Pause() {
  --pauses;
}

AllocationCounter::AllocationCounter() {
  table.start();
}
AllocationCounter::~AllocationCounter() {
  table.stop();
}
std::int64_t AllocationCounter::live() const {
  return table.live();
}
std::int64_t AllocationCounter::peak() const {
  return table.peak();
}
std::int64_t AllocationCounter::count() const {
  return table.count();
}
bool AllocationCounter::is_valid() const {
  return !BP_SANITIZES_MEMORY && !table.overflow();
}
bool AllocationCounter::is_linked() {
  return true;
}

}  // namespace bp::measure

#if !BP_SANITIZES_MEMORY
#define BP_INTERPOSE extern "C" __attribute__((visibility("default")))

extern "C" {
void *__libc_malloc(std::size_t);
void *__libc_calloc(std::size_t, std::size_t);
void *__libc_realloc(void *, std::size_t);
void *__libc_memalign(std::size_t, std::size_t);
void __libc_free(void *);
}

BP_INTERPOSE void *malloc(std::size_t size) {
  void *address = __libc_malloc(size);
  bp::measure::table.add(address, size);
  return address;
}
BP_INTERPOSE void *calloc(std::size_t count, std::size_t size) {
  void *address = __libc_calloc(count, size);
  bp::measure::table.add(address, count * size);
  return address;
}
BP_INTERPOSE void *realloc(void *old, std::size_t size) {
  bp::measure::table.remove(old);
  void *address = __libc_realloc(old, size);
  bp::measure::table.add(address, size);
  return address;
}
BP_INTERPOSE void *memalign(std::size_t alignment, std::size_t size) {
  void *address = __libc_memalign(alignment, size);
  bp::measure::table.add(address, size);
  return address;
}
BP_INTERPOSE void *aligned_alloc(std::size_t alignment, std::size_t size) {
  return memalign(alignment, size);
}
BP_INTERPOSE int posix_memalign(void **out, std::size_t alignment, std::size_t size) {
  void *address = memalign(alignment, size);
  if (address == nullptr) {
    return ENOMEM;
  }
  *out = address;
  return 0;
}
BP_INTERPOSE void free(void *address) {
  bp::measure::table.remove(address);
  __libc_free(address);
}
// Assembler names are given explicitly because headers may rename mmap.
BP_INTERPOSE void *counted_mmap(void *wanted, std::size_t size, int protection, int flags, int file,
                                off_t offset) __asm__("mmap");
BP_INTERPOSE void *counted_mmap64(void *wanted, std::size_t size, int protection, int flags, int file,
                                  off_t offset) __asm__("mmap64");
BP_INTERPOSE int counted_munmap(void *address, std::size_t size) __asm__("munmap");

void *counted_mmap(void *wanted, std::size_t size, int protection, int flags, int file, off_t offset) {
  auto *address = reinterpret_cast<void *>(syscall(SYS_mmap, wanted, size, protection, flags, file, offset));
  if (address != MAP_FAILED && (flags & MAP_ANONYMOUS) != 0) {
    bp::measure::table.add(address, size);
  }
  return address;
}
void *counted_mmap64(void *wanted, std::size_t size, int protection, int flags, int file, off_t offset) {
  return counted_mmap(wanted, size, protection, flags, file, offset);
}
int counted_munmap(void *address, std::size_t size) {
  bp::measure::table.remove(address);
  return static_cast<int>(syscall(SYS_munmap, address, size));
}
#endif
