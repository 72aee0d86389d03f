// Timelines: the only means of synchronization. A timeline is a number that only increases; a point is a value of it
// that work waits for or signals. The core creates timelines and waits for them; devices advance them with
// bp_host.signal.
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

// The status with which a point was signalled.
struct Signal {
  bp_status status = BP_OK;
  std::uint32_t instruction = BP_NONE;
  std::string message;
};

// Threads: all functions may be called from any thread.
class Timelines {
 public:
  // Creates a timeline with value 0 and returns its id.
  std::uint64_t create();
  // Nobody may wait for the timeline any more.
  void destroy(std::uint64_t timeline);

  // Advances a timeline to the point. A failure persists: every later point of the timeline reports it too. A signal to
  // a timeline that does not exist or has already reached the point (BP-SIGNAL-01, BP-SIGNAL-02) has no effect.
  void signal(bp_point_t point, bp_status status, std::uint32_t instruction, std::string message);

  // Blocks until the timeline has reached the point. Returns nullopt if there is no such timeline.
  std::optional<Signal> wait(bp_point_t point);
  bool has_reached(bp_point_t point) const;

 private:
  struct Timeline {
    std::uint64_t value = 0;
    std::uint64_t failed_at = 0;  // value of the first point that failed; 0: none
    Signal failure;
  };

  mutable std::mutex mutex_;
  std::condition_variable moved_;
  std::unordered_map<std::uint64_t, Timeline> timelines_;
  std::uint64_t next_ = 1;
};

}  // namespace bp::host
