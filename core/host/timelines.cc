#include "core/host/timelines.h"

namespace bp::host {

std::uint64_t Timelines::create() {
  std::lock_guard lock(mutex_);
  timelines_.try_emplace(next_);
  return next_++;
}

void Timelines::destroy(std::uint64_t timeline) {
  std::lock_guard lock(mutex_);
  timelines_.erase(timeline);
  moved_.notify_all();
}

void Timelines::signal(bp_point_t point, bp_status status, std::uint32_t instruction, std::string message) {
  std::lock_guard lock(mutex_);
  auto found = timelines_.find(point.timeline);
  if (found == timelines_.end() || point.value <= found->second.value) {
    return;
  }
  Timeline &timeline = found->second;
  timeline.value = point.value;
  if (status != BP_OK && timeline.failed_at == 0) {
    timeline.failed_at = point.value;
    timeline.failure = {status, instruction, std::move(message)};
  }
  moved_.notify_all();  // while the lock is held: a thread that wakes up may destroy this object
}

std::optional<Signal> Timelines::wait(bp_point_t point) {
  std::unique_lock lock(mutex_);
  std::optional<Signal> result;
  auto is_over = [&] {
    auto found = timelines_.find(point.timeline);
    if (found == timelines_.end()) {
      return true;
    }
    const Timeline &timeline = found->second;
    if (timeline.value < point.value) {
      return false;
    }
    result = timeline.failed_at != 0 && timeline.failed_at <= point.value ? timeline.failure : Signal{};
    return true;
  };
  moved_.wait(lock, is_over);
  return result;
}

bool Timelines::has_reached(bp_point_t point) const {
  std::lock_guard lock(mutex_);
  auto found = timelines_.find(point.timeline);
  return found != timelines_.end() && found->second.value >= point.value;
}

}  // namespace bp::host
