// Accepted: the work that a plugin in a worker has accepted by submit() and not finished yet, and the events of the
// worker, which are calls of the plugin to the hosts of its devices.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "core/remote/carrier.h"
#include "core/remote/staging.h"

namespace bp::remote {

// A submit() whose point is not signalled yet.
struct Submit {
  struct Output {
    void *to;
    std::shared_ptr<Segment> from;
    std::size_t size;
  };
  std::uint64_t worker;  // number of the worker
  std::vector<std::shared_ptr<Segment>> staging = {};
  std::vector<Output> outputs = {};
  bool is_accepted = false;
  std::chrono::steady_clock::time_point since = std::chrono::steady_clock::now();

  // Replaces the locations of a copy or fill that are in the application's memory by shared memory that the worker can
  // address. Copies the source there; `outputs` is copied back at the end.
  Status bring(Worker &to, Staging &pool, bp_command_t &command);
};

// Threads: all functions may be called from any thread.
class Accepted {
 public:
  explicit Accepted(Staging &staging) : staging_(staging) {}

  // Add and remove a device for which events may arrive. After remove() its host is not called any more.
  void add(LayeredDevice &device);
  void remove(const LayeredDevice &device);

  // Registers a submit(). Called before the worker gets it, because the worker may signal the point at once.
  void begin(bp_point_t done, LayeredDevice &device, Submit submit);
  // Called when the worker has replied. Returns the status for the core; if that is BP_OK, the point is signalled once.
  bp_status settle(bp_point_t done, const Outcome &outcome, const Worker &worker);

  // Handles an event of the worker: passes a signal or a log on to the host.
  void hear(std::string_view event);
  // Signals BP_DEVICE_LOST for all that a dead worker had accepted and not finished.
  void mourn(const Worker &dead);
  // Returns the time at which the oldest submit() will have taken `seconds`, or nullopt if there is none.
  Channel::Deadline deadline(double seconds) const;

 private:
  using Key = std::pair<std::uint64_t, std::uint64_t>;
  void finish(const Submit &submit);

  Staging &staging_;
  std::mutex hearing_;        // held while the host is called, so that its device is not removed meanwhile
  mutable std::mutex mutex_;  // guards the members below
  std::map<std::uint64_t, LayeredDevice *> devices_;
  std::map<Key, std::pair<LayeredDevice *, Submit>> submits_;  // by point
};

}  // namespace bp::remote
