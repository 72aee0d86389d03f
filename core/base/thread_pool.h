// ThreadPool: parallel loops on a fixed number of threads, for kernels that take microseconds.
// A loop is split into one chunk per thread. Each thread first takes its own chunk, for locality, and then other chunks
// that no thread has started. The caller takes part, so a loop never waits for a thread that has not woken up yet, only
// for chunks that were started.
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

  // `size`: maximum number of indices of a loop that run at the same time, including the caller's; 0: one per
  // processor. The first loop that needs the threads starts them; if the system refuses some, loops are slower but
  // still correct.
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
  // `open`: the chunk belongs to the current loop and no thread has started it.
  struct alignas(64) Chunk {
    std::atomic<bool> open = false;
  };

  void start_threads();
  void work(std::uint32_t number);
  void run_chunks(std::uint32_t first);

  const std::uint32_t size_;
  std::unique_ptr<Chunk[]> chunks_;
  std::vector<std::thread> threads_;
  std::atomic_flag busy_;  // held by the running loop, which owns the members below

  // The current loop. Written before its chunks are opened, read only by threads that have started one.
  Body body_ = nullptr;
  void *context_ = nullptr;
  std::uint32_t count_ = 0;
  std::uint32_t chunk_count_ = 0;
  alignas(64) std::atomic<std::uint32_t> remaining_ = 0;  // chunks that are not finished
  alignas(64) std::atomic<std::uint32_t> wake_ = 0;       // changed to wake the threads
  std::atomic<bool> stop_ = false;
};

}  // namespace bp
