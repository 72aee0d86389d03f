#include "core/remote/replay.h"

#include <algorithm>
#include <condition_variable>
#include <map>
#include <set>

namespace bp::remote {
namespace {

struct Signalled {
  bp_status status;
  std::string message;
};

// Receives the plugin's calls to the host, and knows which of the work that the plugin has accepted is unfinished.
class ReplayLayer final : public Interposer {
 public:
  using Interposer::Interposer;

  // Sets the call that is made next; nullptr if the next calls are not recorded ones.
  void set_call(const RecordedCall *call) { call_ = call; }

  bp_status queue_submit(LayeredDevice &device, std::uint32_t queue, const bp_command_t *commands, std::uint32_t count,
                         bp_point_t done, const bp_diag_t *diag) override {
    {
      const std::lock_guard lock(mutex_);
      submitted_[key(done)] = call_;
    }
    const bp_status status = Interposer::queue_submit(device, queue, commands, count, done, diag);
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
  mutable std::mutex mutex_;  // guards the members below
  std::vector<std::string> errors_;
  std::condition_variable changed_;
  std::map<Key, Signalled> signalled_;
  std::map<Key, const RecordedCall *> submitted_;
  std::map<Key, Work> unfinished_;  // accepted and not signalled
  std::set<std::uint64_t> late_;    // ids of devices
};

// Also maps recorded artifacts to those that compile() made in the replay.
class ReplayObjects final : public Objects {
 public:
  using Objects::Objects;

  void replace_artifact(Bytes recorded, Bytes came) {
    artifacts_.insert_or_assign(sha256(recorded), Block(came.begin(), came.end()));
  }
  Bytes artifact(Bytes recorded) override {
    const auto [found, is_new] = artifacts_.try_emplace(sha256(recorded));
    if (is_new) {
      found->second.assign(recorded.begin(), recorded.end());  // an aligned copy
    }
    return found->second;
  }

 private:
  std::map<Sha256, Block> artifacts_;
};

// Makes the calls of one plugin.
class Player {
 public:
  Player(std::shared_ptr<const host::Plugin> plugin, const Recording &recording, const ReplayOptions &options)
      : plugin_(std::move(plugin)),
        layer_(static_cast<ReplayLayer &>(*layers::layered(plugin_->factory()).layer)),
        recording_(recording),
        options_(options),
        services_({}),
        objects_(services_.abi()) {
    for (const RecordedCall &call : recording.calls()) {
      if (call.function == Function::log_log) {
        Reader in(call.inputs);
        in.number<std::uint32_t>();
        logged_.insert(in.optional_text().value_or(""));
      }
    }
  }

  // Makes a call and returns the differences from the recording.
  std::vector<std::string> play(const RecordedCall &call) {
    if (!call.function.has_value()) {
      return {"a function that this version does not know"};
    }
    if (call.function == Function::host_signal) {
      return await(call);
    }
    return is_of_host(*call.function) ? std::vector<std::string>() : make(call);
  }

  // Destroys the objects that the recorded calls leave behind, except for those of devices with unfinished work.
  // Returns the calls that submitted it.
  std::vector<const RecordedCall *> clean_up() {
    layer_.set_call(nullptr);
    std::vector<const RecordedCall *> unfinished;
    for (const std::uint64_t id : made_devices_) {
      if (LayeredDevice *device = objects_.device(id); device != nullptr) {
        const auto of_device = layer_.wait_until_idle(*device, options_.patience);
        unfinished.insert(unfinished.end(), of_device.begin(), of_device.end());
        if (of_device.empty()) {
          clean_up(id);
          objects_.take_device(id);
          device->abi.destroy(&device->abi);
        }
      }
    }
    return unfinished;
  }

  // Returns the failures of work whose end is not in the recording.
  std::vector<Difference> other_failures() const {
    std::vector<Difference> differences;
    for (const auto &[call, signalled] : layer_.other_failures()) {
      differences.push_back(
          {call,
           "",
           {fmt::format("recorded no end of its work, came {}{}", host::status_name(signalled.status),
                        signalled.message.empty() ? "" : ", " + host::printable(signalled.message))}});
    }
    return differences;
  }

 private:
  // Destroys the programs and the memory of a device, which may have more of them than when it was recorded.
  void clean_up(std::uint64_t device) {
    for (const auto &[program, of] : made_programs_) {
      if (const auto left = of == device ? objects_.take_program(program) : nullptr; left != nullptr) {
        left->program->abi.destroy(&left->program->abi);
      }
    }
    for (const auto &[memory, of] : made_memory_) {
      const auto left = of == device ? objects_.take_piece(memory) : std::nullopt;
      if (LayeredDevice *owner = objects_.device(device); left.has_value() && owner != nullptr) {
        layer_.memory_release(*owner, left->location.memory);
      }
    }
  }

  // Whether the call destroys or releases what unfinished work may use. Programs and devices are destroyed when nothing
  // is in flight, so that is waited for; memory may be released before.
  bool is_too_early(const RecordedCall &call) {
    if (call.function == Function::program_destroy) {
      const auto loaded = objects_.program(call.object);
      return loaded != nullptr && !layer_.wait_until_idle(*loaded->program->device, options_.patience).empty();
    }
    const LayeredDevice *device = objects_.device(call.object);
    if (device == nullptr) {
      return false;
    }
    return call.function == Function::device_destroy   ? !layer_.wait_until_idle(*device, options_.patience).empty()
           : call.function == Function::memory_release ? layer_.is_late(*device)
                                                       : false;
  }

  std::vector<std::string> make(const RecordedCall &call) {
    if (is_too_early(call)) {
      return {"is not made, because the device has not finished the work that it accepted"};
    }
    layer_.set_call(&call);
    layer_.take_errors();
    if (call.function == Function::device_destroy) {
      clean_up(call.object);
    }
    Reader in(call.inputs, &recording_);
    // If the recorded call made no object, later calls do not refer to what this call makes, so any unused id will do.
    const std::uint64_t made = call.made != 0 ? call.made : --unknown_;
    ReceivedCall received;
    received.objects = &objects_;
    received.made = made;
    received.factory = &layers::layered(plugin_->factory());
    Writer out;
    std::optional<std::string> thrown;
    try {
      if (Status status = make_call(*call.function, layer_, call.object, in, received, out); !status.ok()) {
        return {"cannot be made again: " + status.error().message()};
      }
      write_results(out, received.results);
    } catch (const std::exception &error) {
      thrown = error.what();
    } catch (...) {
      thrown = "an exception of unknown type";
    }
    remember(call, made);
    if (thrown.has_value() || call.thrown.has_value()) {
      const std::string recorded = call.thrown.has_value() ? "threw " + *call.thrown : "threw nothing";
      const std::string came = thrown.has_value() ? "threw " + *thrown : "threw nothing";
      return recorded == came
                 ? std::vector<std::string>()
                 : std::vector{fmt::format("recorded {}, came {}", host::printable(recorded), host::printable(came))};
    }
    std::vector<std::string> differences = compare_with(call, out);
    if (has_no_result(*call.function)) {
      for (const std::string &error : layer_.take_errors()) {
        if (!logged_.contains(error)) {
          differences.push_back(fmt::format("recorded no error, came {}", host::printable(error)));
        }
      }
    }
    return differences;
  }

  std::vector<std::string> compare_with(const RecordedCall &call, const Writer &out) {
    Listing came;
    Reader in(call.inputs, &recording_), outputs(out.bytes());
    const bp_status status = list_call(*call.function, in, &outputs, came);
    if (!call.has_ended) {
      return {fmt::format("recorded no end, came {}", explained(came, status))};
    }
    bp_status recorded_status = BP_OK;
    const Listing recorded = recording_.list(call, recorded_status);
    if (status != BP_OK || recorded_status != BP_OK) {
      // The other outputs are undefined.
      return status == recorded_status
                 ? std::vector<std::string>()
                 : std::vector{fmt::format("status: recorded {}, came {}", explained(recorded, recorded_status),
                                           explained(came, status))};
    }
    if (call.function == Function::compiler_compile) {
      objects_.replace_artifact(artifact_of(recorded), artifact_of(came));
    }
    return compare(recorded, came);
  }

  static std::string explained(const Listing &listing, bp_status status) {
    std::string text = host::status_name(status);
    for (const Item &item : listing.outputs) {
      if (item.name == "report") {
        return text + ", " + item.value;
      }
    }
    return text;
  }

  static Bytes artifact_of(const Listing &listing) {
    for (const Item &item : listing.outputs) {
      if (item.name == "artifact") {
        return item.array;
      }
    }
    return {};
  }

  void remember(const RecordedCall &call, std::uint64_t made) {
    switch (*call.function) {
      case Function::factory_create: made_devices_.push_back(made); break;
      case Function::compiler_load: made_programs_.emplace_back(made, call.object); break;
      case Function::memory_alloc: made_memory_.emplace_back(made, call.object); break;
      default: break;
    }
  }

  // Waits until a point that was signalled in the recording is signalled now; returns the differences.
  std::vector<std::string> await(const RecordedCall &call) {
    Reader in(call.inputs), recorded(call.outputs, &recording_);
    const auto point = in.number<bp_point_t>();
    const auto status = in.number<bp_status>();
    const std::shared_ptr<const Submitted> submitted = objects_.take_submitted(point);
    if (submitted == nullptr) {
      return {};  // its submit() had another outcome, which was reported
    }
    const std::optional<Signalled> signalled = layer_.wait(point, options_.patience);
    if (!signalled.has_value()) {
      lost_.push_back(submitted);
      return {fmt::format("recorded {}, came nothing for {} s", host::status_name(status),
                          std::chrono::duration<double>(options_.patience).count())};
    }
    if (signalled->status != status) {
      return {fmt::format("status: recorded {}, came {}{}", host::status_name(status),
                          host::status_name(signalled->status),
                          signalled->message.empty() ? "" : ", " + host::printable(signalled->message))};
    }
    if (status != BP_OK || !call.has_ended) {
      return {};
    }
    Listing then, now;
    now.outputs = submitted->results;
    then.outputs = submitted->results;
    read_results(recorded, then.outputs);
    if (!recorded.ok()) {
      return {recorded.status().error().message()};
    }
    return compare(then, now);
  }

  std::shared_ptr<const host::Plugin> plugin_;
  ReplayLayer &layer_;
  const Recording &recording_;
  const ReplayOptions &options_;
  host::HostServices services_;
  ReplayObjects objects_;
  std::set<std::string> logged_;  // in the recording
  std::uint64_t unknown_ = 0;
  std::vector<std::uint64_t> made_devices_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> made_programs_, made_memory_;  // ids of object and device
  std::vector<std::shared_ptr<const Submitted>> lost_;                                // the plugin may still use them
};

std::string about(const Recording &recording, const RecordedCall &call) {
  bp_status status = BP_OK;
  for (const Item &item : recording.list(call, status).inputs) {
    if (item.name == "instruction" || item.name == "module") {
      return item.to_string();
    }
  }
  return {};
}

}  // namespace

host::Layer replay_layer() {
  return [](std::unique_ptr<host::Entry> below) { return std::make_unique<ReplayLayer>(std::move(below)); };
}

Isolation isolation_for(const Recording &recording, std::uint64_t plugin, Isolation isolation) {
  isolation.lends_memory = std::ranges::any_of(recording.calls(), [&](const RecordedCall &call) {
    return call.plugin == plugin && call.function == Function::device_get_extension &&
           Reader(call.inputs).optional_text() == BP_EXT_MEMORY && Reader(call.outputs).number<std::uint8_t>() != 0;
  });
  return isolation;
}

ReplayReport replay(const Recording &recording, const ReplayOptions &options) {
  BP_CHECK(options.plugins.size() == recording.plugins().size());
  std::vector<std::unique_ptr<Player>> players;
  for (const auto &plugin : options.plugins) {
    players.push_back(std::make_unique<Player>(plugin, recording, options));
  }
  ReplayReport report;
  for (const RecordedCall &call : recording.calls()) {
    if (options.before) {
      options.before(call);
    }
    std::vector<std::string> what = players[call.plugin]->play(call);
    ++report.made;
    if (!what.empty()) {
      report.differences.push_back({&call, about(recording, call), std::move(what)});
    }
  }
  static auto &left = *new std::vector<std::unique_ptr<Player>>();  // plugins may use them until the process ends
  for (auto &player : players) {
    const auto unfinished = player->clean_up();
    std::ranges::move(player->other_failures(), std::back_inserter(report.differences));
    if (!unfinished.empty()) {
      report.unfinished.insert(report.unfinished.end(), unfinished.begin(), unfinished.end());
      left.push_back(std::move(player));
    }
  }
  return report;
}

}  // namespace bp::remote
