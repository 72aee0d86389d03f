// ThreadPool: parallel loops on a fixed number of threads, for kernels that take microseconds.
// A loop is cut into one chunk per thread; each thread prefers its own chunk, for locality, and then takes chunks
// nobody has begun. The caller takes part, so no loop waits for a thread that has not woken up yet, only for begun
// chunks.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <thread>
#include <type_traits>
#include <vector>

namespace bp {

class ThreadPool {
 public:
  using Body = void (*)(void *context, std::uint32_t index, std::uint32_t worker);

  // `size`: how many indices of a loop run at the same time, the caller included; 0: one per processor. Threads are
  // started by the first loop that needs them; if the system refuses some, loops are slower, not wrong.
  explicit ThreadPool(std::uint32_t size = 0);
  // No loop is running.
  ~ThreadPool();
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;

  std::uint32_t size() const { return size_; }

  // Calls body(context, index, worker) once for each index in [0, count) and returns when all are done. Workers are
  // numbers below size(), different for indices that run at the same time. The body must not throw, and indices must
  // not wait for each other. Any thread may call this; a loop inside a loop, or beside one of another thread, runs on
  // its caller alone.
  void parallel(std::uint32_t count, Body body, void *context);

  // The same of a function object that may throw: the first exception comes out here, when all that had begun by then
  // is done.
  template <class Function>
  void parallel(std::uint32_t count, Function &&function) {
    struct Loop {
      std::remove_reference_t<Function> &function;
      std::atomic<bool> has_thrown = false;
      std::exception_ptr thrown = nullptr;
    } loop{function};
    parallel(
        count,
        [](void *context, std::uint32_t index, std::uint32_t worker) {
          auto &the = *static_cast<Loop *>(context);
          if (the.has_thrown.load(std::memory_order_relaxed)) {
            return;
          }
          try {
            the.function(index, worker);
          } catch (...) {
            if (!the.has_thrown.exchange(true)) {
              the.thrown = std::current_exception();
            }
          }
        },
        &loop);
    if (loop.thrown) {
      std::rethrow_exception(loop.thrown);
    }
  }

 private:
  // Open: part of the current loop, and nobody has begun it.
  struct alignas(64) Chunk {
    std::atomic<bool> open = false;
  };

  void start_threads();
  void work(std::uint32_t number);
  void run_chunks(std::uint32_t first);

  const std::uint32_t size_;
  std::unique_ptr<Chunk[]> chunks_;
  std::vector<std::thread> threads_;
  std::atomic_flag busy_;  // held by the loop that owns what follows

  // The loop; written before its chunks are opened, read only by those who have begun one.
  Body body_ = nullptr;
  void *context_ = nullptr;
  std::uint32_t count_ = 0;
  std::uint32_t chunk_count_ = 0;
  alignas(64) std::atomic<std::uint32_t> remaining_ = 0;  // chunks not yet done
  alignas(64) std::atomic<std::uint32_t> wake_ = 0;       // changes to wake the threads
  std::atomic<bool> stop_ = false;
};

}  // namespace bp
