// Queues: a thread for each, which does what was submitted in order. Queues do not wait for each other, so what was
// submitted later on one may be done earlier than what was submitted first on another. `jitter` moves that about: before
// each submission a queue waits for a time that depends on the seed, the queue and how many came before. A submission may
// be told to wait for points of others (bp.native-sync/1): the queues share a board on which they see them come.
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

// What became of a submission.
struct Outcome {
  bp_status status = BP_OK;
  std::uint32_t instruction = BP_NONE;
  std::string message;
};

// The points of all queues. Threads: all functions from any thread.
class Board {
 public:
  void accept(bp_point_t point);
  void settle(bp_point_t point, const Outcome &outcome);
  // Blocks until an accepted point is settled. A failure is remembered until a few hundred others have come.
  Outcome wait(bp_point_t point);

 private:
  using Key = std::pair<std::uint64_t, std::uint64_t>;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::set<Key> in_flight_;
  std::deque<std::pair<Key, Outcome>> failures_;
};

// Threads: submit() and wait() from one at a time.
class Queue {
 public:
  using Execute = std::function<bp_status(const bp_command_t &command, const bp_diag_t *diag)>;

  // `kinds`: of commands that it takes, a bit each. `jitter`: 0: none. `execute` is called on the queue's thread.
  Queue(const bp_host_t *host, Board &board, std::uint32_t kinds, std::uint64_t jitter, Execute execute);
  // Nothing is in flight.
  ~Queue();
  Queue(const Queue &) = delete;
  Queue &operator=(const Queue &) = delete;

  bp_status submit(const bp_command_t *commands, std::uint32_t count, bp_point_t done, const bp_diag_t *diag);
  // The next submission waits for the point.
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
  std::thread thread_;  // last: uses all the others
};

}  // namespace bp::npu
