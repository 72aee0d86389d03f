#include "core/base/thread_pool.h"

#include <algorithm>
#include <system_error>

namespace bp {
namespace {

// Waits until `value` differs from `old`; polls for a few microseconds before it sleeps, because the next loop of a
// program often follows immediately, and a futex costs more than a small loop.
std::uint32_t wait_for_change(const std::atomic<std::uint32_t> &value, std::uint32_t old) {
  for (int i = 0; i < 200; ++i) {
    if (const std::uint32_t now = value.load(std::memory_order_acquire); now != old) {
      return now;
    }
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
  value.wait(old, std::memory_order_acquire);
  return value.load(std::memory_order_acquire);
}

// The system is asked once, as it reads files to answer.
std::uint32_t processor_count() {
  static const std::uint32_t count = std::max(1u, std::thread::hardware_concurrency());
  return count;
}

}  // namespace

ThreadPool::ThreadPool(std::uint32_t size) : size_(size != 0 ? size : processor_count()), chunks_(new Chunk[size_]) {}

ThreadPool::~ThreadPool() {
  stop_ = true;
  wake_.fetch_add(1);
  wake_.notify_all();
  for (std::thread &thread : threads_) {
    thread.join();
  }
}

void ThreadPool::start_threads() {
  try {
    while (threads_.size() + 1 < size_) {
      threads_.emplace_back(&ThreadPool::work, this, static_cast<std::uint32_t>(threads_.size() + 1));
    }
  } catch (const std::system_error &) {
    // The system has no more threads: the existing ones and the caller do the work.
  }
}

void ThreadPool::parallel(std::uint32_t count, Body body, void *context) {
  if (count <= 1 || size_ == 1 || busy_.test_and_set(std::memory_order_acquire)) {
    for (std::uint32_t index = 0; index < count; ++index) {
      body(context, index, 0);
    }
    return;
  }
  if (threads_.empty()) {
    start_threads();
  }
  body_ = body;
  context_ = context;
  count_ = count;
  chunk_count_ = std::min(count, size_);
  remaining_.store(chunk_count_, std::memory_order_relaxed);
  for (std::uint32_t i = 0; i < chunk_count_; ++i) {
    chunks_[i].open.store(true, std::memory_order_release);
  }
  wake_.fetch_add(1, std::memory_order_release);
  wake_.notify_all();
  run_chunks(0);
  for (std::uint32_t left = remaining_.load(std::memory_order_acquire); left != 0;) {
    left = wait_for_change(remaining_, left);
  }
  busy_.clear(std::memory_order_release);
}

// Runs the chunks that no thread has started, beginning with `first` and wrapping around. A thread that wakes up late
// finds none, or takes part in a later loop: an open chunk always belongs to the current loop, which cannot end before
// the chunk is done.
void ThreadPool::run_chunks(std::uint32_t first) {
  for (std::uint32_t i = 0; i < size_; ++i) {
    const std::uint32_t chunk = (first + i) % size_;
    std::atomic<bool> &open = chunks_[chunk].open;
    if (!open.load(std::memory_order_relaxed) || !open.exchange(false, std::memory_order_acquire)) {
      continue;
    }
    const auto bound = [&](std::uint64_t k) { return static_cast<std::uint32_t>(k * count_ / chunk_count_); };
    for (std::uint32_t index = bound(chunk); index < bound(chunk + 1); ++index) {
      body_(context_, index, chunk);
    }
    if (remaining_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      remaining_.notify_all();
    }
  }
}

void ThreadPool::work(std::uint32_t number) {
  std::uint32_t seen = 0;
  while (true) {
    seen = wait_for_change(wake_, seen);
    if (stop_) {
      return;
    }
    run_chunks(number);
  }
}

}  // namespace bp
