#include "core/base/thread_pool.h"

#include <algorithm>
#include <chrono>
#include <system_error>

#include "core/base/processors.h"

namespace bp {
namespace {

// Bounds of the time for which a thread polls before it sleeps. The next loop of a program often follows immediately,
// and to wake up costs more than a small loop; but a thread that polls in vain takes time from others.
constexpr std::chrono::nanoseconds min_patience(2'000), max_patience(100'000);

void pause_processor() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb");
#endif
}

// Waits until `value` differs from `old`, and returns it. `patience`: for how long the thread polls; it grows if the
// thread has slept for no longer than that may be, and shrinks if it has.
std::uint32_t wait_for_change(const std::atomic<std::uint32_t> &value, std::uint32_t old,
                              std::chrono::nanoseconds &patience) {
  using Clock = std::chrono::steady_clock;
  constexpr int polls = 16;  // per reading of the clock
  const Clock::time_point begin = Clock::now();
  do {
    for (int i = 0; i < polls; ++i) {
      if (const std::uint32_t now = value.load(std::memory_order_acquire); now != old) {
        return now;
      }
      pause_processor();
    }
  } while (Clock::now() - begin < patience);
  value.wait(old, std::memory_order_acquire);
  const bool was_short = Clock::now() - begin < max_patience;
  patience = was_short ? std::min(patience * 2, max_patience) : std::max(patience / 2, min_patience);
  return value.load(std::memory_order_acquire);
}

// The system is asked once, because files are read for the answer.
std::uint32_t default_size() {
  static const std::uint32_t size = usable_processors();
  return size;
}

}  // namespace

ThreadPool::ThreadPool(std::uint32_t size)
    : size_(size != 0 ? size : default_size()), chunks_(new Chunk[size_]), patience_(min_patience) {}

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
  remaining_.store(count, std::memory_order_relaxed);
  const auto bound = [&](std::uint64_t chunk) { return chunk * count / size_; };
  for (std::uint32_t i = 0; i < size_; ++i) {
    chunks_[i].open.store(bound(i) | bound(i + 1) << 32, std::memory_order_release);
  }
  wake_.fetch_add(1, std::memory_order_release);
  wake_.notify_all();
  run_chunks(0);
  for (std::uint32_t left = remaining_.load(std::memory_order_acquire); left != 0;) {
    left = wait_for_change(remaining_, left, patience_);
  }
  busy_.clear(std::memory_order_release);
}

// Runs indices that no thread has begun, as the thread of this number. A thread that wakes up late finds none, or takes
// part in a later loop: an index always belongs to the current loop, which cannot end before it is known to be done.
void ThreadPool::run_chunks(std::uint32_t number) {
  std::uint32_t done = 0;
  for (std::uint32_t i = 0; i < size_; ++i) {
    Chunk &chunk = chunks_[(number + i) % size_];
    for (auto index = take(chunk, i > 0); index; index = take(chunk, i > 0)) {
      body_(context_, *index, number);
      ++done;
    }
  }
  if (done > 0 && remaining_.fetch_sub(done, std::memory_order_acq_rel) == done) {
    remaining_.notify_all();
  }
}

// Takes the first or the last index that no thread has begun; nothing if there is none.
std::optional<std::uint32_t> ThreadPool::take(Chunk &chunk, bool from_end) {
  std::uint64_t open = chunk.open.load(std::memory_order_relaxed);
  while (true) {
    const auto begin = static_cast<std::uint32_t>(open), end = static_cast<std::uint32_t>(open >> 32);
    if (begin >= end) {
      return std::nullopt;
    }
    const std::uint64_t left = from_end ? open - (std::uint64_t{1} << 32) : open + 1;
    if (chunk.open.compare_exchange_weak(open, left, std::memory_order_acquire, std::memory_order_relaxed)) {
      return from_end ? end - 1 : begin;
    }
  }
}

void ThreadPool::work(std::uint32_t number) {
  std::uint32_t seen = 0;
  std::chrono::nanoseconds patience = min_patience;
  while (true) {
    seen = wait_for_change(wake_, seen, patience);
    if (stop_) {
      return;
    }
    run_chunks(number);
  }
}

}  // namespace bp
