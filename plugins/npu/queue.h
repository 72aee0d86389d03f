// Queues: a thread for each, which does what was submitted in order. Queues do not wait for each other, so what was
// submitted later on one may be done earlier than what was submitted first on another. `jitter` moves that about: before
// each submission a queue waits for a time that depends on the seed, the queue and how many came before.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "backplane/ext/queue.h"

namespace bp::npu {

// Threads: submit() from one at a time.
class Queue {
 public:
  using Execute = std::function<bp_status(const bp_command_t &command, const bp_diag_t *diag)>;

  // `kinds`: of commands that it takes, a bit each. `jitter`: 0: none. `execute` is called on the queue's thread.
  Queue(const bp_host_t *host, std::uint32_t kinds, std::uint64_t jitter, Execute execute);
  // Nothing is in flight.
  ~Queue();
  Queue(const Queue &) = delete;
  Queue &operator=(const Queue &) = delete;

  bp_status submit(const bp_command_t *commands, std::uint32_t count, bp_point_t done, const bp_diag_t *diag);

 private:
  struct Submission {
    std::vector<bp_command_t> commands;
    bp_point_t done;
  };
  void work();
  void finish(const Submission &submission);
  void wait_a_little();

  const bp_host_t *host_;
  std::uint32_t kinds_;
  std::uint64_t random_state_;
  bool has_jitter_;
  Execute execute_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Submission> waiting_;
  bool is_closing_ = false;
  std::thread thread_;  // last: uses all the others
};

}  // namespace bp::npu
