// A trap for writes to memory that nobody may write: it notices them by protection, and so also those of the bytes that
// are there already.
#pragma once

#include <signal.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace bp::conformance {

// While it lives, these pages are read-only. Who writes to some of them is noted, and goes on as if they were not; any
// other fault is left to whom it was left to before. One at a time in a process; writes come from any thread.
class WriteTrap {
 public:
  explicit WriteTrap(const std::vector<std::span<std::byte>> &areas);  // each of whole pages, or empty
  WriteTrap(const WriteTrap &) = delete;
  WriteTrap &operator=(const WriteTrap &) = delete;
  ~WriteTrap();

  bool was_written(std::size_t area) const { return areas_[area].is_written; }

 private:
  struct Area {
    std::span<std::byte> pages;
    std::atomic<bool> is_written = false;
    bool protect(int rights) const;
  };
  static void on_fault(int signal, siginfo_t *info, void *context);
  Area *area_of(const void *address) const;

  static std::atomic<WriteTrap *> current_;
  std::unique_ptr<Area[]> areas_;
  std::size_t count_ = 0;
  struct sigaction before_ = {};
};

}  // namespace bp::conformance
