// Accepted: the work that a plugin in a worker has accepted by submit() and not finished yet, and the events of the
// worker, which are calls of the plugin to the hosts of its devices.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "core/remote/stub.h"

namespace bp::remote {

// Threads: all functions may be called from any thread.
class Accepted {
 public:
  // Add and remove a device for which events may arrive. After remove() its host is not called any more.
  void add(LayeredDevice &device);
  void remove(const LayeredDevice &device);

  // Registers a submit(), with the copies of its memory. Called before the worker gets it, because the worker may
  // signal the point at once.
  void begin(bp_point_t done, LayeredDevice &device, std::shared_ptr<const StagedCall> call);
  // Called when the worker has replied. Returns the status for the core; if that is BP_OK, the point is signalled once.
  bp_status settle(bp_point_t done, const Outcome &outcome, const Worker &worker);

  // Handles an event of the worker: passes a signal or a log on to the host.
  void handle(std::string_view event);
  // Signals BP_DEVICE_LOST for all that a dead worker had accepted and not finished.
  void signal_lost(const Worker &dead);
  // Returns the time at which the oldest submit() will have taken `seconds`, or nullopt if there is none.
  Channel::Deadline deadline(double seconds) const;

 private:
  // A submit() whose point is not signalled yet.
  struct Submit {
    LayeredDevice *device;
    std::shared_ptr<const StagedCall> call;
    bool is_accepted = false;
    std::chrono::steady_clock::time_point since = std::chrono::steady_clock::now();
  };

  std::mutex handling_;       // held while the host is called, so that its device is not removed meanwhile
  mutable std::mutex mutex_;  // guards the members below
  std::map<std::uint64_t, LayeredDevice *> devices_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, Submit> submits_;  // by point
};

}  // namespace bp::remote
