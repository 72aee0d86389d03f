// Queues (bp.queue/1). A queue has two threads: the one starts what was submitted, in order, and so has a stream of its
// own; the other waits until what was started is done, and signals it. So the next commands are with the GPU while those
// before them run. Queues do not wait for each other.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "backplane/ext/queue.h"
#include "plugins/nvptx/machine.h"

namespace bp::nvptx {

// From one thread to another.
template <class Item>
class Channel {
 public:
  void push(Item item) {
    std::lock_guard lock(mutex_);
    items_.push_back(std::move(item));
    changed_.notify_one();
  }
  // Nothing more comes.
  void close() {
    std::lock_guard lock(mutex_);
    is_closed_ = true;
    changed_.notify_one();
  }
  // Blocks until there is one. Nothing when all were taken and nothing more comes.
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

// Threads: submit() from one at a time.
class Queue {
 public:
  // Starts a command on the calling thread's stream.
  using Start = std::function<bp_status(const bp_command_t &command, const bp_diag_t *diag)>;

  // `kinds`: of commands that it takes, a bit each.
  Queue(const bp_host_t *host, Machine &machine, std::uint32_t kinds, Start start);
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
  struct Started {
    bp_point_t done;
    std::unique_ptr<Mark> end;  // of what was started; null: it has ended
    // What became of it, as far as that is known.
    bp_status status;
    std::uint32_t instruction;
    std::string message;
  };
  void start_all();
  void finish_all();
  Started start(const Submission &submission);

  const bp_host_t *host_;
  Machine &machine_;
  std::uint32_t kinds_;
  Start start_;
  Channel<Submission> submitted_;
  Channel<Started> started_;
  std::thread starter_, finisher_;  // last: they use all the others
};

}  // namespace bp::nvptx
