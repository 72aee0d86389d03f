// Exchange: where the devices of a simulation meet. Each device is a thread; what one brings to a meeting, all its
// members get. When every device waits, or has ended, and nobody can go on, the simulation is stuck, and all are told.
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

#include "core/base/result.h"
#include "core/ir/literal.h"

namespace bp::interpreter {

// A device's number in the grid: replica * partitions + partition.
using DeviceNumber = std::int64_t;

// Members of a group of replicas over all partitions: XLA has one replica after the other, each with its partitions;
// StableHLO's specification one partition after the other, each with its replicas.
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

  // Brings values to the meeting of `members`, `self` among them, and waits for theirs: by member, in order. The n-th
  // meeting of a device under a key is with the n-th of the others. Literals share their bytes.
  Result<std::vector<std::vector<ir::Literal>>> meet(DeviceNumber self, const std::string &key,
                                                     const std::vector<DeviceNumber> &members,
                                                     std::vector<ir::Literal> values);
  // A queue per channel: sending does not wait.
  void send(std::int64_t channel, ir::Literal value);
  Result<ir::Literal> receive(DeviceNumber self, std::int64_t channel);

  // What infeed gives, to whoever asks first.
  void feed(std::deque<ir::Literal> inputs) { inputs_ = std::move(inputs); }  // before the devices begin
  Result<ir::Literal> next_input();

  // The device is done. If it failed, so do all that wait for anything.
  void leave(DeviceNumber self, bool failed);
  // The device that failed first, the cause of other failures. After all have left.
  std::optional<DeviceNumber> first_failed() const { return first_failed_; }

 private:
  struct Meeting {
    std::map<DeviceNumber, std::vector<ir::Literal>> values;
    std::size_t left = 0;  // members that have taken what they came for
  };
  using MeetingKey = std::pair<std::string, std::vector<DeviceNumber>>;

  // Waits, the lock held, until is_ready(); an error if that will never be.
  Status wait(std::unique_lock<std::mutex> &lock, DeviceNumber self, std::function<bool()> is_ready);
  void look_whether_stuck();

  const std::int64_t replicas_, partitions_;
  const MemberOrder member_order_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<MeetingKey, std::map<std::int64_t, Meeting>> meetings_;  // by round
  std::map<std::pair<MeetingKey, DeviceNumber>, std::int64_t> rounds_;
  std::map<std::int64_t, std::deque<ir::Literal>> queues_;
  std::deque<ir::Literal> inputs_;
  std::vector<std::function<bool()>> waits_;  // by device; empty: it runs, or has ended
  std::size_t ended_ = 0;
  std::optional<DeviceNumber> first_failed_;
  bool stopped_ = false;
};

}  // namespace bp::interpreter
