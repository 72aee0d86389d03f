// The layer between a replay and the plugin.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <map>
#include <set>
#include <string_view>

#include "backplane/ext/draft/cancel.h"
#include "core/host/diagnostics.h"
#include "core/layers/interposer.h"
#include "core/remote/calls.h"
#include "core/remote/recording.h"

namespace bp::remote {

struct Signalled {
  bp_status status;
  std::string message;
};

// Receives the plugin's calls to the host, and knows which of the work that the plugin has accepted is unfinished.
class ReplayLayer final : public Interposer {
 public:
  using Interposer::Interposer;

  // Sets the call that is made next; nullptr if the next calls are not recorded ones. `is_cancelled`: whether its work
  // was cancelled. It is cancelled again, from the start: it may have no other end.
  void set_call(const RecordedCall *call, bool is_cancelled = false) {
    call_ = call;
    is_cancelled_ = is_cancelled;
  }

  bp_status compiler_compile(LayeredDevice &device, const bp_module_t *module, const bp_ostream_t *artifact,
                             const bp_diag_t *diag) override {
    host::Diagnostics listening(diag);
    listening.listen([is_cancelled = is_cancelled_.load()](std::uint64_t, std::uint64_t) { return !is_cancelled; });
    return Interposer::compiler_compile(device, module, artifact, listening.abi());
  }
  bp_status program_run(LayeredProgram &program, const bp_run_t *run, const bp_diag_t *diag) override {
    return Interposer::program_run(program, is_cancelled_ ? cancelled(run) : run, diag);
  }
  bp_status queue_submit(LayeredDevice &device, std::uint32_t queue, const bp_command_t *given, std::uint32_t count,
                         bp_point_t done, const bp_diag_t *diag) override {
    std::vector<bp_command_t> commands(given, given + count);
    for (bp_command_t &command : commands) {
      if (is_cancelled_ && command.kind == BP_COMMAND_RUN) {
        command.run = cancelled(command.run);
      }
    }
    {
      const std::lock_guard lock(mutex_);
      submitted_[key(done)] = call_;
    }
    const bp_status status = Interposer::queue_submit(device, queue, commands.data(), count, done, diag);
    const std::lock_guard lock(mutex_);
    if (status == BP_OK && !signalled_.contains(key(done))) {
      unfinished_[key(done)] = {device.id, call_};
    }
    return status;
  }
  void host_signal(LayeredHost &, bp_point_t point, bp_status status, std::uint32_t, const char *msg) override {
    const std::lock_guard lock(mutex_);
    signalled_[key(point)] = {status, msg == nullptr ? "" : msg};
    unfinished_.erase(key(point));
    changed_.notify_all();
  }
  // Errors are kept, because destroy() and release() have no other way to tell of them.
  void log_log(LayeredHost &host, std::uint32_t severity, const char *msg) override {
    if (severity < BP_LOG_ERROR) {
      return;
    }
    if (call_ == nullptr) {
      Interposer::log_log(host, severity, msg);
      return;
    }
    const std::lock_guard lock(mutex_);
    errors_.emplace_back(msg == nullptr ? "" : msg);
  }
  // Returns the errors that were logged since the last time.
  std::vector<std::string> take_errors() {
    const std::lock_guard lock(mutex_);
    return std::exchange(errors_, {});
  }

  // Waits for the signal of a point. If it does not come in time, its device is late.
  std::optional<Signalled> wait(bp_point_t point, std::chrono::milliseconds patience) {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, patience, [&] { return signalled_.contains(key(point)); })) {
      if (const auto found = unfinished_.find(key(point)); found != unfinished_.end()) {
        late_.insert(found->second.device);
      }
      return std::nullopt;
    }
    return signalled_.extract(key(point)).mapped();
  }
  // Waits until the device has finished all that it accepted. If that takes too long, the device is late, and is not
  // waited for again. Returns the calls that submitted unfinished work.
  std::vector<const RecordedCall *> wait_until_idle(const LayeredDevice &device, std::chrono::milliseconds patience) {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, late_.contains(device.id) ? std::chrono::milliseconds(0) : patience,
                           [&] { return unfinished_of(device).empty(); })) {
      late_.insert(device.id);
    }
    return unfinished_of(device);
  }
  // Returns the failures that wait() was not called for, with the calls that submitted the work: the recording may have
  // ended before.
  std::vector<std::pair<const RecordedCall *, Signalled>> other_failures() const {
    const std::lock_guard lock(mutex_);
    std::vector<std::pair<const RecordedCall *, Signalled>> failures;
    for (const auto &[point, signalled] : signalled_) {
      const auto by = submitted_.find(point);
      if (signalled.status != BP_OK && by != submitted_.end() && by->second != nullptr) {
        failures.emplace_back(by->second, signalled);
      }
    }
    return failures;
  }
  // Whether the device has unfinished work that was waited for.
  bool is_late(const LayeredDevice &device) const {
    const std::lock_guard lock(mutex_);
    return late_.contains(device.id) && !unfinished_of(device).empty();
  }

 private:
  using Key = std::pair<std::uint64_t, std::uint64_t>;
  struct Work {
    std::uint64_t device;  // id
    const RecordedCall *call;
  };

  static Key key(bp_point_t point) { return {point.timeline, point.value}; }
  // Offers only that the run is over.
  static const void *end_of_run(const bp_run_t *, const char *id) noexcept {
    static constexpr bp_run_cancel_t cancel = {[](const bp_run_t *) noexcept -> std::uint32_t { return 1; }};
    return std::string_view(id) == BP_EXT_CANCEL ? &cancel : nullptr;
  }
  // Returns a run of the same work that is cancelled. It is kept, because a queue may ask late.
  const bp_run_t *cancelled(const bp_run_t *run) {
    const std::lock_guard lock(mutex_);
    bp_run_t &made = cancelled_runs_.emplace_back(*run);
    made.get_extension = &ReplayLayer::end_of_run;
    return &made;
  }
  std::vector<const RecordedCall *> unfinished_of(const LayeredDevice &device) const {
    std::vector<const RecordedCall *> calls;
    for (const auto &[point, work] : unfinished_) {
      if (work.device == device.id) {
        calls.push_back(work.call);
      }
    }
    return calls;
  }

  std::atomic<const RecordedCall *> call_ = nullptr;
  std::atomic<bool> is_cancelled_ = false;
  mutable std::mutex mutex_;  // guards the members below
  std::deque<bp_run_t> cancelled_runs_;
  std::vector<std::string> errors_;
  std::condition_variable changed_;
  std::map<Key, Signalled> signalled_;
  std::map<Key, const RecordedCall *> submitted_;
  std::map<Key, Work> unfinished_;  // accepted and not signalled
  std::set<std::uint64_t> late_;    // ids of devices
};

}  // namespace bp::remote
