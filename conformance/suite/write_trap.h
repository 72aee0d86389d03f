// A trap for writes to memory that must not be written. It detects them by page protection, and thus also writes that
// do not change the bytes.
#pragma once

#include <signal.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace bp::conformance {

// While it exists, these pages are read-only. A write to them is recorded and then performed; any other fault is passed
// on to the previous handler. Only one at a time in a process; writes may come from any thread.
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
