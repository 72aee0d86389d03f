// Exchange: communication between the devices of a simulation. Each device is a thread. All members of a meeting get
// the values that each of them brings. When every device waits or has ended, and none can continue, the simulation is
// deadlocked, and all waiting devices get an error.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/base/cancellation.h"
#include "core/base/result.h"
#include "core/ir/literal.h"

namespace bp::interpreter {

// Number of a device in the grid: replica * partitions + partition.
using DeviceNumber = std::int64_t;

// Order of the members of a group of replicas over all partitions. XLA orders by replica, then partition; StableHLO's
// specification by partition, then replica.
enum class MemberOrder { ByReplica, ByPartition };

class Exchange {
 public:
  Exchange(std::int64_t replicas, std::int64_t partitions, MemberOrder member_order = MemberOrder::ByReplica)
      : replicas_(replicas),
        partitions_(partitions),
        member_order_(member_order),
        waits_(static_cast<std::size_t>(replicas * partitions)) {}

  std::int64_t replicas() const { return replicas_; }
  std::int64_t partitions() const { return partitions_; }
  MemberOrder member_order() const { return member_order_; }

  // Gives values to a rendezvous of `members`, which include `self`, and waits for the values of the others; returns
  // the values by member, in order. The n-th rendezvous of a device under a key is with the n-th of the other members.
  // Literals share their bytes. Fails with Cancelled or DeadlineExceeded if the device's terms say so while it waits.
  Result<std::vector<std::vector<ir::Literal>>> rendezvous(DeviceNumber self, const std::string &key,
                                                           const std::vector<DeviceNumber> &members,
                                                           std::vector<ir::Literal> values, const RunTerms &terms = {});
  // Send and receive through one queue per channel; sending does not wait.
  void send(std::int64_t channel, ir::Literal value);
  Result<ir::Literal> receive(DeviceNumber self, std::int64_t channel, const RunTerms &terms = {});

  // Inputs of infeed, in the order in which devices ask for them.
  void feed(std::deque<ir::Literal> inputs) { inputs_ = std::move(inputs); }  // before the devices start
  Result<ir::Literal> next_input();

  // Called when the device has ended. If it failed, all devices that wait fail, too.
  void leave(DeviceNumber self, bool failed);
  // Returns the device that failed first, which caused the other failures. Call it after all devices have left.
  std::optional<DeviceNumber> first_failed() const { return first_failed_; }

 private:
  struct Rendezvous {
    std::map<DeviceNumber, std::vector<ir::Literal>> values;
    std::size_t left = 0;  // number of members that have taken the values
  };
  using RendezvousKey = std::pair<std::string, std::vector<DeviceNumber>>;

  // Waits, with the lock held, until is_ready(); returns an error if that cannot become true any more, or the terms say
  // that the device is to end.
  Status wait(std::unique_lock<std::mutex> &lock, DeviceNumber self, const RunTerms &terms,
              std::function<bool()> is_ready);
  // Stops all devices if each has ended or waits for something that no other device can bring about.
  void stop_if_deadlocked();

  const std::int64_t replicas_, partitions_;
  const MemberOrder member_order_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<RendezvousKey, std::map<std::int64_t, Rendezvous>> rendezvous_;  // by number
  std::map<std::pair<RendezvousKey, DeviceNumber>, std::int64_t> counts_;   // rendezvous of the device so far
  std::map<std::int64_t, std::deque<ir::Literal>> queues_;
  std::deque<ir::Literal> inputs_;
  std::vector<std::function<bool()>> waits_;  // by device: its condition for going on; empty if it runs or has ended
  std::size_t ended_ = 0;
  std::optional<DeviceNumber> first_failed_;
  bool stopped_ = false;
};

}  // namespace bp::interpreter
