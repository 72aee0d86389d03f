// Timelines: the one idea of synchronization. A timeline is a number that only grows; a point is a value of it that
// work waits for or brings about. The core creates them and waits; devices move them forward by bp_host.signal.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "backplane/host.h"

namespace bp::host {

// What a point was signalled with.
struct Signal {
  bp_status status = BP_OK;
  std::uint32_t instruction = BP_NONE;
  std::string message;
};

// Threads: all functions from any thread.
class Timelines {
 public:
  // A new timeline, at 0.
  std::uint64_t create();
  // Nobody waits for the timeline any more.
  void destroy(std::uint64_t timeline);

  // Moves a timeline to the point. A failure stays: it is what every later point of the timeline brings, too. A signal
  // to a timeline that does not exist or has come so far already (BP-SIGNAL-01, BP-SIGNAL-02) moves nothing.
  void signal(bp_point_t point, bp_status status, std::uint32_t instruction, std::string message);

  // Blocks until the timeline has come to the point. Nothing if there is no such timeline.
  std::optional<Signal> wait(bp_point_t point);
  bool has_reached(bp_point_t point) const;

 private:
  struct Timeline {
    std::uint64_t value = 0;
    std::uint64_t failed_at = 0;  // 0: never
    Signal failure;
  };

  mutable std::mutex mutex_;
  std::condition_variable moved_;
  std::unordered_map<std::uint64_t, Timeline> timelines_;
  std::uint64_t next_ = 1;
};

}  // namespace bp::host
