// The queues of a device (bp.queue/1, bp.native-sync/1). The frame (device.h) makes them; a device only starts
// commands.
//
// Each queue has a thread that starts its submissions in order. A device whose commands are done when they were started
// needs no more. A device that goes on with them by itself marks their end; a second thread then waits for the end, so
// that the device has the next commands while the ones before them run. A submission that is to wait for another is
// started as soon as the other was started, and the device waits (Mark::hold()): the queues of a device share a board
// that holds the state of each submission.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "backplane/ext/queue.h"
#include "call.h"
#include "result.h"

namespace bp::plugin {

// A moment in the work of a device: after all commands that one thread of the host has started so far. Threads: any.
class Mark {
 public:
  virtual ~Mark() = default;
  // Blocks until all commands before it are done.
  virtual Status wait() const = 0;
  // Makes all commands that this thread starts from here on wait for them, too; the thread itself does not wait.
  virtual Status hold() const = 0;
};

// A thread that handles items in the order in which they were pushed. Threads: push() may be called from any thread.
template <class Item>
class Worker {
 public:
  explicit Worker(std::function<void(Item item)> handle) : handle_(std::move(handle)), thread_(&Worker::run, this) {}
  // Returns when all items were handled.
  ~Worker() {
    {
      const std::lock_guard lock(mutex_);
      is_closing_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }
  Worker(const Worker &) = delete;
  Worker &operator=(const Worker &) = delete;

  void push(Item item) {
    const std::lock_guard lock(mutex_);
    items_.push_back(std::move(item));
    changed_.notify_one();
  }

 private:
  void run() {
    while (auto item = next()) {
      handle_(std::move(*item));
    }
  }
  // Blocks until there is an item. Returns nothing at the end.
  std::optional<Item> next() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !items_.empty() || is_closing_; });
    if (items_.empty()) {
      return std::nullopt;
    }
    std::optional<Item> item(std::move(items_.front()));
    items_.pop_front();
    return item;
  }

  std::function<void(Item item)> handle_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Item> items_;
  bool is_closing_ = false;
  std::thread thread_;  // declared last, because it uses all other members
};

// The state of all accepted submissions of all queues of a device, by the points that they signal. Threads: all
// functions may be called from any thread.
class Board {
 public:
  void accept(bp_point_t point) {
    const std::lock_guard lock(mutex_);
    in_flight_[key_of(point)] = {};
  }
  // Notes that all commands of the submission were started, and that they are done at `end`; null: they are done.
  void start(bp_point_t point, std::shared_ptr<const Mark> end, const Status &outcome) {
    const std::lock_guard lock(mutex_);
    in_flight_[key_of(point)] = {true, std::move(end), outcome};
    changed_.notify_all();
  }
  void settle(bp_point_t point, const Status &outcome) {
    const std::lock_guard lock(mutex_);
    in_flight_.erase(key_of(point));
    if (!outcome.ok()) {
      failures_.emplace_back(key_of(point), outcome);
      if (failures_.size() > max_failures) {
        failures_.pop_front();
      }
    }
    changed_.notify_all();
  }
  // Blocks until the submission was started. Returns its outcome so far, and its end, null if it is done.
  std::pair<Status, std::shared_ptr<const Mark>> wait_for_start(bp_point_t point) {
    std::unique_lock lock(mutex_);
    auto found = in_flight_.end();
    changed_.wait(lock, [&] {
      found = in_flight_.find(key_of(point));
      return found == in_flight_.end() || found->second.is_started;
    });
    if (found == in_flight_.end()) {
      return {settled(point), nullptr};
    }
    return {found->second.outcome, found->second.end};
  }
  // Blocks until the submission is settled. A failure is kept until a few hundred others came after it.
  Status wait_for_end(bp_point_t point) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !in_flight_.contains(key_of(point)); });
    return settled(point);
  }

 private:
  static constexpr std::size_t max_failures = 300;
  using Key = std::pair<std::uint64_t, std::uint64_t>;
  struct InFlight {
    bool is_started = false;
    std::shared_ptr<const Mark> end;
    Status outcome;
  };
  static Key key_of(bp_point_t point) { return {point.timeline, point.value}; }
  Status settled(bp_point_t point) const {
    const auto failure = std::ranges::find(failures_, key_of(point), &std::pair<Key, Status>::first);
    return failure == failures_.end() ? Status() : failure->second;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<Key, InFlight> in_flight_;
  std::deque<std::pair<Key, Status>> failures_;
};

// Threads: submit() and wait() are called by one thread at a time.
class Queue {
 public:
  // Starts a command on the calling thread, which is always the same.
  using Start = std::function<Status(const bp_command_t &command)>;
  // Marks the end of the commands that the calling thread has started, of which `last` is the last one; null if there
  // is none, or if one failed. Returns null if they are done.
  using MarkEnd = std::function<Result<std::shared_ptr<const Mark>>(const bp_command_t *last)>;

  // kinds: bit k is set if the queue takes commands of kind k. prefix: put in front of the messages that it signals;
  // must outlive the queue. mark_end: empty if commands are done when they were started.
  Queue(const bp_host_t *host, Board &board, std::uint32_t kinds, std::string_view prefix, Start start,
        MarkEnd mark_end)
      : host_(host),
        board_(board),
        kinds_(kinds),
        prefix_(prefix),
        start_(std::move(start)),
        mark_end_(std::move(mark_end)),
        finisher_(mark_end_ ? std::make_unique<Worker<Started>>([this](Started started) {
          finish(std::move(started));
          --unfinished_;
        })
                            : nullptr),
        starter_([this](Submission submission) { start_all(std::move(submission)); }) {}

  Status submit(const bp_command_t *commands, std::uint32_t count, bp_point_t done) {
    Submission submission{std::exchange(next_waits_for_, {}), {commands, commands + count}, done};
    for (const bp_command_t &command : submission.commands) {
      if (command.kind >= 32 || (kinds_ >> command.kind & 1) == 0) {
        return Error(BP_INVALID, "this queue does not take commands of kind " + std::to_string(command.kind));
      }
    }
    board_.accept(done);
    starter_.push(std::move(submission));
    return {};
  }
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
    Status outcome;                   // so far
  };

  void start_all(Submission submission) {
    Status outcome = caught([&] { return start_commands(submission); });
    std::shared_ptr<const Mark> end;
    if (mark_end_) {  // also after a failure, because the commands before it use memory until they are done
      const bool is_marked = outcome.ok() && !submission.commands.empty();
      auto marked = caught([&] { return mark_end_(is_marked ? &submission.commands.back() : nullptr); });
      if (marked.ok()) {
        end = std::move(marked).value();
      } else if (outcome.ok()) {
        outcome = after_writing(std::move(marked).error());
      }
    }
    board_.start(submission.done, end, outcome);
    Started started{std::move(submission.waits_for), submission.done, std::move(end), std::move(outcome)};
    if (started.end == nullptr && unfinished_ == 0) {  // so signals come in order
      finish(std::move(started));
    } else {
      ++unfinished_;
      finisher_->push(std::move(started));
    }
  }

  Status start_commands(const Submission &submission) {
    for (const bp_point_t point : submission.waits_for) {
      const auto [outcome, end] = board_.wait_for_start(point);
      BP_TRY(Status(outcome));  // BP-WAIT-01
      if (end != nullptr) {
        BP_TRY(end->hold());
      }
    }
    for (const bp_command_t &command : submission.commands) {
      if (Status status = caught([&] { return start_(command); }); !status.ok()) {
        const bool is_first = &command == submission.commands.data();
        return is_first ? std::move(status) : after_writing(std::move(status).error());
      }
    }
    return {};
  }

  void finish(Started started) {
    Status outcome = std::move(started.outcome);
    if (started.end != nullptr) {
      Status ended = caught([&] { return started.end->wait(); });
      if (outcome.ok() && !ended.ok()) {
        outcome = after_writing(std::move(ended).error());
      }
    }
    // The submissions that it waited for are done, but they may have failed after this one was started.
    for (const bp_point_t point : started.waits_for) {
      if (Status before = board_.wait_for_end(point); outcome.ok()) {
        outcome = std::move(before);
      }
    }
    started.end.reset();
    board_.settle(started.done, outcome);
    if (outcome.ok()) {
      host_->signal(host_, started.done, BP_OK, BP_NONE, nullptr);
    } else {
      const Error &error = outcome.error();
      host_->signal(host_, started.done, error.status(), error.instruction(),
                    (std::string(prefix_) + error.message()).c_str());
    }
  }

  const bp_host_t *host_;
  Board &board_;
  std::uint32_t kinds_;
  std::string_view prefix_;
  Start start_;
  MarkEnd mark_end_;
  std::vector<bp_point_t> next_waits_for_;
  std::atomic<std::uint64_t> unfinished_ = 0;  // submissions that the finisher has
  // Declared last, because they use all other members. The starter ends first.
  std::unique_ptr<Worker<Started>> finisher_;  // null: there is nothing to wait for
  Worker<Submission> starter_;
};

}  // namespace bp::plugin
