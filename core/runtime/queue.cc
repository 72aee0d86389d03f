#include "core/runtime/queue.h"

#include <algorithm>
#include <utility>

#include "core/host/diagnostics.h"
#include "core/runtime/per_device.h"
#include "plugin_api/cpp/run_services.h"

namespace bp::runtime {
// --- Event ---

Event::State::State(std::shared_ptr<const host::Device> on, std::vector<Event> other)
    : device(std::move(on)), after(std::move(other)), point{device->timelines().create(), 1} {}

Event::State::~State() {
  device->timelines().wait(point);
  device->timelines().destroy(point.timeline);
}

host::Signal Event::signal() const {
  return state_->device->timelines().wait(state_->point).value_or(host::Signal{BP_INTERNAL, BP_NONE, "lost"});
}

Status Event::wait(std::string_view what, const bp_module_t *module) const {
  const host::Signal signal = this->signal();
  if (signal.status == BP_OK) [[likely]] {
    return {};
  }
  host::Diagnostics diagnostics;
  if (!signal.message.empty()) {
    diagnostics.abi()->report(diagnostics.abi(), signal.status, signal.instruction, signal.message.c_str());
  }
  return diagnostics.result(signal.status, state_->device->id(), what, module);
}

// --- Queue ---

Queue::Queue(std::shared_ptr<const host::Device> device, std::uint32_t index)
    : device_(std::move(device)), index_(index) {}

Queue::~Queue() {
  {
    std::lock_guard lock(mutex_);
    is_closing_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) {
    thread_.join();
  }
}

Event Queue::submit(std::vector<bp_command_t> commands, std::vector<Event> after) {
  const Event done(device_, std::move(after));
  Batch batch{std::move(commands), done};
  std::lock_guard lock(mutex_);
  const bool may_start =
      waiting_.empty() && !is_busy_ &&
      std::ranges::all_of(done.state_->after, [&](const Event &event) { return event.is_done() || is_native(event); });
  if (index_ != emulated && may_start) {
    start(batch);  // does not wait; avoids a switch to the thread
    return done;
  }
  waiting_.push_back(std::move(batch));
  if (!thread_.joinable()) {
    thread_ = std::thread(&Queue::work, this);
  }
  changed_.notify_all();
  return done;
}

void Queue::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return !waiting_.empty() || is_closing_; });
    if (waiting_.empty()) {
      return;
    }
    is_busy_ = true;
    {
      Batch batch = std::move(waiting_.front());
      waiting_.pop_front();
      lock.unlock();
      start(batch);
    }
    lock.lock();
    is_busy_ = false;
  }
}

bool Queue::is_native(const Event &event) const {
  return index_ != emulated && device_->native_sync() != nullptr && event.state_->device == device_ &&
         event.state_->is_with_device;
}

// Returns false if the device cannot wait, for any reason: then the host waits.
bool Queue::tell_to_wait(const Event &event) const {
  host::Diagnostics unheard;
  return unheard.call([&](const bp_diag_t *diag) {
    return device_->native_sync()->wait(device_->abi(), index_, event.state_->point, diag);
  }) == BP_OK;
}

// Commands that the device rejects, or that must not start, are signalled here.
void Queue::start(const Batch &batch) const {
  auto finish = [&](bp_status status, std::uint32_t instruction, std::string message) {
    device_->timelines().signal(batch.done.state_->point, status, instruction, std::move(message));
  };
  host::Diagnostics diagnostics;
  // Telling the device to wait affects its next submit(): so this is done last, when nothing else can prevent that
  // submit().
  for (const bool is_device_told : {false, true}) {
    for (const Event &event : batch.done.state_->after) {
      if (!event.is_done() && is_native(event)) {
        if (!is_device_told || tell_to_wait(event)) {
          continue;
        }
      }
      if (host::Signal signal = event.signal(); signal.status != BP_OK) {
        return finish(signal.status, signal.instruction, std::move(signal.message));
      }
    }
  }
  const bool is_wanted = std::ranges::none_of(batch.commands, [](const bp_command_t &command) {
    return command.kind == BP_COMMAND_RUN && plugin::EarlyEnd(*command.run).is_over();
  });
  if (!is_wanted) {
    return finish(BP_CANCELLED, BP_NONE, "ended before it began");
  }
  bp_status status = BP_OK;
  if (index_ != emulated) {
    status = diagnostics.call([&](const bp_diag_t *diag) {
      return device_->queue()->submit(device_->abi(), index_, batch.commands.data(),
                                      static_cast<std::uint32_t>(batch.commands.size()), batch.done.state_->point,
                                      diag);
    });
    if (status == BP_OK) {
      batch.done.state_->is_with_device = true;
      return;  // the device signals it
    }
  }
  for (std::size_t i = 0; i < batch.commands.size() && status == BP_OK && index_ == emulated; ++i) {
    status = diagnostics.call([&](const bp_diag_t *diag) { return execute(batch.commands[i], diag); });
  }
  const bool is_explained = status != BP_OK && !diagnostics.reports().empty();
  finish(status, is_explained ? diagnostics.reports()[0].instruction : BP_NONE,
         is_explained ? diagnostics.reports()[0].message : "");
}

bp_status Queue::execute(const bp_command_t &command, const bp_diag_t *diag) const {
  if (command.kind == BP_COMMAND_RUN) {
    return command.program->run(command.program, command.run, diag);
  }
  return device_->memory()->copy(device_->abi(), command.to, command.from, command.size, diag);
}

// --- Queues ---

Queues::Queues(const std::shared_ptr<const host::Device> &device, bool is_native) {
  if (device->queue() == nullptr || !is_native) {
    queues_.push_back(std::make_unique<Queue>(device, Queue::emulated));
    kinds_.push_back(~0u);
    return;
  }
  for (std::uint32_t i = 0; i < device->queue()->queue_count; ++i) {
    queues_.push_back(std::make_unique<Queue>(device, i));
    kinds_.push_back(device->queue()->queues[i]);
  }
}

Queue *Queues::find(std::uint32_t kind) const {
  for (std::size_t i = 0; i < queues_.size(); ++i) {
    if ((kinds_[i] >> kind & 1) != 0) {
      return queues_[i].get();
    }
  }
  return nullptr;
}

std::shared_ptr<Queues> Queues::of(const std::shared_ptr<const host::Device> &device) {
  static PerDevice<Queues> all;
  return all.get(device);
}

}  // namespace bp::runtime
