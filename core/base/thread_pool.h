// ThreadPool: parallel loops on a fixed number of threads, for kernels that take microseconds.
// A loop is split into one chunk per thread. Each thread takes the indices of its own chunk one after the other, for
// locality, and then the last ones of others, which may be slow because their processors have other work. The caller
// takes part, so a loop never waits for a thread that has not woken up yet, only for indices that were begun.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <thread>
#include <type_traits>
#include <vector>

namespace bp {

class ThreadPool {
 public:
  using Body = void (*)(void *context, std::uint32_t index, std::uint32_t worker);

  // `size`: maximum number of indices of a loop that run at the same time, including the caller's; 0: one per processor
  // that the process could use when its first pool was made (processors.h). The first loop that needs the threads
  // starts them; if the system refuses some, loops are slower but still correct.
  explicit ThreadPool(std::uint32_t size = 0);
  // Requires that no loop is running.
  ~ThreadPool();
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;

  std::uint32_t size() const { return size_; }

  // Calls body(context, index, worker) once for each index in [0, count) and returns when all calls have returned.
  // `worker` is less than size() and differs between indices that run at the same time. The body must not throw, and
  // indices must not wait for each other. Any thread may call this; a loop inside a loop, or concurrent with a loop of
  // another thread, runs on its calling thread only.
  void parallel(std::uint32_t count, Body body, void *context);

  // Same as above for a function object that may throw: the first exception is rethrown here, after all calls that had
  // started by then have returned.
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
  // The indices of the current loop that are in the chunk and that no thread has begun: from `open` modulo 2^32 up to,
  // not including, `open` / 2^32.
  struct alignas(64) Chunk {
    std::atomic<std::uint64_t> open = 0;
  };

  void start_threads();
  void work(std::uint32_t number);
  void run_chunks(std::uint32_t number);
  static std::optional<std::uint32_t> take(Chunk &chunk, bool from_end);

  const std::uint32_t size_;
  std::unique_ptr<Chunk[]> chunks_;
  std::vector<std::thread> threads_;
  std::atomic_flag busy_;  // held by the running loop, which owns the members below

  // The current loop. Written before its chunks are filled, read only by threads that have taken an index.
  Body body_ = nullptr;
  void *context_ = nullptr;
  std::chrono::nanoseconds patience_;                     // of callers, which wait for the last indices
  alignas(64) std::atomic<std::uint32_t> remaining_ = 0;  // indices that are not known to be done
  alignas(64) std::atomic<std::uint32_t> wake_ = 0;       // changed to wake the threads
  std::atomic<bool> stop_ = false;
};

}  // namespace bp
