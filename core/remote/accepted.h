// Accepted: what a plugin in a worker says to the host of its devices, and what it has accepted by submit() and not done.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "core/remote/carrier.h"
#include "core/remote/staging.h"

namespace bp::remote {

// What a submit() has still to do.
struct Submit {
  struct Output {
    void *to;
    std::shared_ptr<Segment> from;
    std::size_t size;
  };
  std::uint64_t worker;  // its number
  std::vector<std::shared_ptr<Segment>> staging = {};
  std::vector<Output> outputs = {};
  bool is_accepted = false;
  std::chrono::steady_clock::time_point since = std::chrono::steady_clock::now();

  // Brings what a copy has in the application's memory to shared memory.
  Status bring(Worker &to, Staging &pool, bp_command_t &command);
};

// Threads: all functions from any thread.
class Accepted {
 public:
  explicit Accepted(Staging &staging) : staging_(staging) {}

  // Devices that may be spoken for; none is after remove().
  void add(LayeredDevice &device);
  void remove(const LayeredDevice &device);

  // Before the worker is asked, as the point may be signalled at once.
  void begin(bp_point_t done, LayeredDevice &device, Submit submit);
  // When it has answered. The status for the core: every point that BP_OK is said of is signalled once.
  bp_status settle(bp_point_t done, const Outcome &outcome, const Worker &worker);

  // An event of the worker: signals and logs.
  void hear(std::string_view event);
  // Signals what a dead worker will not do.
  void mourn(const Worker &dead);
  // When the oldest has gone on for so long; nothing if there is none.
  Channel::Deadline deadline(double seconds) const;

 private:
  using Key = std::pair<std::uint64_t, std::uint64_t>;
  void finish(const Submit &submit);

  Staging &staging_;
  std::mutex hearing_;        // held while the host is told something, so that its device stays
  mutable std::mutex mutex_;  // of what follows
  std::map<std::uint64_t, LayeredDevice *> devices_;
  std::map<Key, std::pair<LayeredDevice *, Submit>> submits_;  // by point
};

}  // namespace bp::remote
