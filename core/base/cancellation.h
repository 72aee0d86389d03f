// Cancellation: ends work early, on request or after a deadline.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>

#include "core/base/result.h"

namespace bp {

// A wish that work may ask for. Several calls may share it. Threads: all functions may be called from any thread.
class Cancellation {
 public:
  using Clock = std::chrono::steady_clock;

  Cancellation() = default;
  explicit Cancellation(Clock::time_point deadline) : deadline_(deadline) {}
  // Makes one whose deadline is this many seconds from now; at most a century.
  static std::shared_ptr<Cancellation> after(double seconds);

  void cancel() { is_cancelled_.store(true, std::memory_order_relaxed); }
  bool is_late() const { return deadline_ && Clock::now() >= *deadline_; }
  bool is_over() const { return is_cancelled_.load(std::memory_order_relaxed) || is_late(); }
  // Fails with Cancelled or DeadlineExceeded once the work is to end.
  Status check() const;

 private:
  std::atomic<bool> is_cancelled_ = false;
  std::optional<Clock::time_point> deadline_;
};

// The terms on which a run is made.
struct RunTerms {
  std::shared_ptr<const Cancellation> cancellation = nullptr;  // nullptr: the run does not end early
  // Runs with a larger number begin before others that wait for the same device, if the device asks for it
  // (ext/draft/priority.h).
  std::int32_t priority = 0;
};

}  // namespace bp
