// Queues: each has a thread, which executes submissions in order. Queues do not wait for each other, so a later
// submission to one queue may be executed before an earlier one to another queue. `jitter` varies this order: before
// each submission a queue waits for a time that depends on the seed, the queue and the number of submissions before it.
// A submission may be told to wait for points of other queues (bp.native-sync/1): all queues share a board that knows
// which points are in flight.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "backplane/ext/queue.h"

namespace bp::npu {

// The outcome of a submission.
struct Outcome {
  bp_status status = BP_OK;
  std::uint32_t instruction = BP_NONE;
  std::string message;
};

// The points of all queues. Threads: all functions may be called from any thread.
class Board {
 public:
  void accept(bp_point_t point);
  void settle(bp_point_t point, const Outcome &outcome);
  // Blocks until an accepted point is settled, and returns its outcome. A failure is remembered until a few hundred
  // later ones.
  Outcome wait(bp_point_t point);

 private:
  using Key = std::pair<std::uint64_t, std::uint64_t>;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::set<Key> in_flight_;
  std::deque<std::pair<Key, Outcome>> failures_;
};

// Threads: submit() and wait() may be called from one thread at a time.
class Queue {
 public:
  using Execute = std::function<bp_status(const bp_command_t &command, const bp_diag_t *diag)>;

  // `kinds` has a bit for each kind of command that the queue takes. `jitter` is the seed of its delays, or 0 for none.
  // `execute` is called on the queue's thread.
  Queue(const bp_host_t *host, Board &board, std::uint32_t kinds, std::uint64_t jitter, Execute execute);
  // Requires that nothing is in flight.
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
  void work();
  void finish(const Submission &submission);
  Outcome run(const Submission &submission);
  void wait_a_little();

  const bp_host_t *host_;
  Board &board_;
  std::uint32_t kinds_;
  std::uint64_t random_state_;
  bool has_jitter_;
  Execute execute_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Submission> waiting_;
  std::vector<bp_point_t> next_waits_for_;
  bool is_closing_ = false;
  std::thread thread_;  // declared last, because it uses all other members
};

}  // namespace bp::npu
