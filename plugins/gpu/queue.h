// Queues (bp.queue/1). A queue has two threads. One starts submissions in order, and so has a stream of its own; the
// other waits until they are done, and signals that. So the GPU has the next commands while the ones before them run.
// Commands that are done when they were started are signalled at once, without a change of threads. A submission that
// is to wait for another (bp.native-sync/1) is started as soon as the other was started, and the GPU waits: the queues
// share a board that holds the state of each submission.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "backplane/ext/queue.h"
#include "plugins/gpu/machine.h"

namespace bp::gpu {

// Passes items from one thread to another.
template <class Item>
class Channel {
 public:
  void push(Item item) {
    std::lock_guard lock(mutex_);
    items_.push_back(std::move(item));
    changed_.notify_one();
  }
  // Says that there will be no more items.
  void close() {
    std::lock_guard lock(mutex_);
    is_closed_ = true;
    changed_.notify_one();
  }
  // Blocks until there is an item. Returns nothing once the channel is closed and empty.
  std::optional<Item> pop() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !items_.empty() || is_closed_; });
    if (items_.empty()) {
      return std::nullopt;
    }
    std::optional<Item> item(std::move(items_.front()));
    items_.pop_front();
    return item;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Item> items_;
  bool is_closed_ = false;
};

// How a submission ended.
struct Outcome {
  bp_status status = BP_OK;
  std::uint32_t instruction = BP_NONE;
  std::string message;
};

// The state of all accepted submissions of all queues, by the points that they signal. Threads: all functions from any
// thread.
class Board {
 public:
  void accept(bp_point_t point);
  // Notes that all commands of the submission were started, and that they are done at `end`; null: they are done.
  void start(bp_point_t point, std::shared_ptr<const Mark> end, const Outcome &outcome);
  void settle(bp_point_t point, const Outcome &outcome);
  // Blocks until the submission was started. Returns its outcome so far, and its end, null if it is done.
  std::pair<Outcome, std::shared_ptr<const Mark>> wait_for_start(bp_point_t point);
  // Blocks until the submission is settled. A failure is kept until a few hundred others came after it.
  Outcome wait_for_end(bp_point_t point);

 private:
  using Key = std::pair<std::uint64_t, std::uint64_t>;
  struct InFlight {
    bool is_started = false;
    std::shared_ptr<const Mark> end;
    Outcome outcome;
  };
  Outcome settled(const Key &key) const;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<Key, InFlight> in_flight_;
  std::deque<std::pair<Key, Outcome>> failures_;
};

// Threads: submit() and wait() are called by one thread at a time.
class Queue {
 public:
  // Starts a command on the calling thread's stream.
  using Start = std::function<bp_status(const bp_command_t &command, const bp_diag_t *diag)>;

  // kinds: the kinds of commands that the queue takes, a bit each.
  Queue(const bp_host_t *host, Machine &machine, Board &board, std::uint32_t kinds, Start start);
  // No command may be in flight.
  ~Queue();
  Queue(const Queue &) = delete;
  Queue &operator=(const Queue &) = delete;

  bp_status submit(const bp_command_t *commands, std::uint32_t count, bp_point_t done, const bp_diag_t *diag);
  // Makes the next submission wait for the point.
  void wait(bp_point_t point) { next_waits_for_.push_back(point); }

 private:
  struct Submission {
    std::vector<bp_point_t> waits_for;
    std::vector<bp_command_t> commands;
    bp_point_t done;
  };
  struct Started {
    std::vector<bp_point_t> waits_for;
    bp_point_t done;
    std::shared_ptr<const Mark> end;  // null: they are done
    Outcome outcome;                  // so far
  };
  void start_all();
  void finish_all();
  void finish(Started started);
  Started start(Submission submission);
  Outcome start_commands(const Submission &submission);

  const bp_host_t *host_;
  Machine &machine_;
  Board &board_;
  std::uint32_t kinds_;
  Start start_;
  std::vector<bp_point_t> next_waits_for_;
  Channel<Submission> submitted_;
  Channel<Started> started_;
  std::atomic<std::uint64_t> unfinished_ = 0;  // submissions in started_, or being finished
  std::thread starter_, finisher_;             // last, because they use all other members
};

}  // namespace bp::gpu
