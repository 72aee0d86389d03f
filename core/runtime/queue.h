// Queues: commands (runs and copies) that run while the caller goes on. A queue is the device's (bp.queue/1), or, where
// it has none, a thread of the core that takes the commands one after the other. What a command waits for is resolved
// here, so that a device only ever gets commands that may start; but where a device can wait by itself
// (bp.native-sync/1), it waits for what it was given before.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string_view>
#include <thread>
#include <vector>

#include "backplane/ext/queue.h"
#include "core/base/result.h"
#include "core/host/plugin.h"

namespace bp::runtime {

// The end of submitted commands. Copies are the same event; the last of them to go waits for it. Threads: const
// functions from any thread.
class Event {
 public:
  // Blocks until the commands are done; why they failed, if they did. `what` names them for the message, `module` their
  // instructions.
  Status wait(std::string_view what, const bp_module_t *module = nullptr) const;
  bool is_done() const { return state_->device->timelines().has_reached(state_->point); }

 private:
  friend class Queue;
  struct State {
    State(std::shared_ptr<const host::Device> on, std::vector<Event> other);
    ~State();
    std::shared_ptr<const host::Device> device;
    std::vector<Event> after;  // what the commands wait for: a device that waits by itself may still have to
    bp_point_t point;
    mutable std::atomic<bool> is_with_device = false;  // accepted by a queue of the device, which signals it
  };
  Event(std::shared_ptr<const host::Device> device, std::vector<Event> after)
      : state_(std::make_shared<State>(std::move(device), std::move(after))) {}
  host::Signal signal() const;

  std::shared_ptr<const State> state_;
};

// Threads: submit() from any thread.
class Queue {
 public:
  static constexpr std::uint32_t emulated = BP_NONE;

  // A queue of the device by its index, or one of our own.
  Queue(std::shared_ptr<const host::Device> device, std::uint32_t index);
  // Waits until all is done.
  ~Queue();
  Queue(const Queue &) = delete;
  Queue &operator=(const Queue &) = delete;

  // Starts the commands when all of `after` has come, also if that failed: then they fail in the same way without being
  // started. What commands point to stays valid until the event. In the order of submission.
  Event submit(std::vector<bp_command_t> commands, std::vector<Event> after = {});

 private:
  struct Batch {
    std::vector<bp_command_t> commands;
    Event done;
  };
  void work();
  // Whether the device can be told to wait for it.
  bool is_native(const Event &event) const;
  bool tell_to_wait(const Event &event) const;
  void start(const Batch &batch) const;
  bp_status execute(const bp_command_t &command, const bp_diag_t *diag) const;

  std::shared_ptr<const host::Device> device_;
  std::uint32_t index_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Batch> waiting_;
  bool is_busy_ = false, is_closing_ = false;
  std::thread thread_;  // started when first needed
};

// The queues of a device. Every program of it uses the same ones, which go with the last of them.
class Queues {
 public:
  static std::shared_ptr<Queues> of(const std::shared_ptr<const host::Device> &device);
  // Native: the device's own, if it has some.
  explicit Queues(const std::shared_ptr<const host::Device> &device, bool is_native = true);

  // One that takes commands of that kind (BP_COMMAND_). Null if the device has queues, but none for it.
  Queue *find(std::uint32_t kind) const;

 private:
  std::vector<std::unique_ptr<Queue>> queues_;
  std::vector<std::uint32_t> kinds_;  // by queue, as in bp_device_queue.queues
};

}  // namespace bp::runtime
