// Queues: commands (runs and copies) that execute while the caller continues. A queue is the device's (bp.queue/1) or,
// if the device has none, a thread of the core that executes the commands one after another. The dependencies of
// commands are resolved here, so that a device only gets commands that may start; but a device that can wait itself
// (bp.native-sync/1) waits for commands that it was given before.
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

// The completion of submitted commands. Copies are the same event; the destructor of the last one waits for it.
// Threads: const functions may be called from any thread.
class Event {
 public:
  // Blocks until the commands are done; returns their error if they failed. `what` names the commands in the message,
  // `module` their instructions.
  Status wait(std::string_view what, const bp_module_t *module = nullptr) const;
  bool is_done() const { return state_->device->timelines().has_reached(state_->point); }

 private:
  friend class Queue;
  struct State {
    State(std::shared_ptr<const host::Device> on, std::vector<Event> other);
    ~State();
    std::shared_ptr<const host::Device> device;
    // Events that the commands wait for: a device that waits itself may still have to.
    std::vector<Event> after;
    bp_point_t point;
    mutable std::atomic<bool> is_with_device = false;  // accepted by a queue of the device, which signals it
  };
  Event(std::shared_ptr<const host::Device> device, std::vector<Event> after)
      : state_(std::make_shared<State>(std::move(device), std::move(after))) {}
  host::Signal signal() const;

  std::shared_ptr<const State> state_;
};

// Threads: submit() may be called from any thread.
class Queue {
 public:
  static constexpr std::uint32_t emulated = BP_NONE;

  // Creates a queue of the device with its index, or with `emulated` one of the core.
  Queue(std::shared_ptr<const host::Device> device, std::uint32_t index);
  // Waits until all commands are done.
  ~Queue();
  Queue(const Queue &) = delete;
  Queue &operator=(const Queue &) = delete;

  // Starts the commands when all of `after` are done, in the order of submission. If one of these failed, the commands
  // fail in the same way without being started. The data that commands point to must stay valid until the event.
  Event submit(std::vector<bp_command_t> commands, std::vector<Event> after = {});

 private:
  struct Batch {
    std::vector<bp_command_t> commands;
    Event done;
  };
  void work();
  // Whether the device can be told to wait for the event.
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

// The queues of a device. All its programs share them; they are destroyed with the last program.
class Queues {
 public:
  static std::shared_ptr<Queues> of(const std::shared_ptr<const host::Device> &device);
  // If `is_native`, uses the device's own queues if it has any.
  explicit Queues(const std::shared_ptr<const host::Device> &device, bool is_native = true);

  // Returns a queue for commands of this kind (BP_COMMAND_); nullptr if the device has queues, but none for it.
  Queue *find(std::uint32_t kind) const;

 private:
  std::vector<std::unique_ptr<Queue>> queues_;
  std::vector<std::uint32_t> kinds_;  // by queue, as in bp_device_queue.queues
};

}  // namespace bp::runtime
