#include "core/remote/replay.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "core/remote/replay_layer.h"

namespace bp::remote {
namespace {

// Returns the numbers of the calls whose work was cancelled: by their status, or by that of the point that they signal.
std::set<std::uint64_t> cancelled_calls(const Recording &recording) {
  std::set<std::uint64_t> cancelled;
  std::map<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>, std::uint64_t> submits;  // by plugin and point
  for (const RecordedCall &call : recording.calls()) {
    Reader in(call.inputs), out(call.outputs);
    if (call.function == Function::queue_submit) {
      in.number<std::uint32_t>();  // the queue
      const auto done = in.number<bp_point_t>();
      submits[{call.plugin, done.timeline, done.value}] = call.number;
    } else if (call.function == Function::host_signal) {
      const auto point = in.number<bp_point_t>();
      const auto submit = submits.find({call.plugin, point.timeline, point.value});
      if (in.number<bp_status>() == BP_CANCELLED && submit != submits.end()) {
        cancelled.insert(submit->second);
      }
    } else if (call.function == Function::program_run || call.function == Function::compiler_compile) {
      if (call.has_ended && !call.thrown.has_value() && out.number<bp_status>() == BP_CANCELLED) {
        cancelled.insert(call.number);
      }
    }
  }
  return cancelled;
}

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
        objects_(services_.abi()),
        cancelled_(cancelled_calls(recording)) {
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
    const bool is_cancelled = cancelled_.contains(call.number);
    if (is_cancelled && options_.is_isolated) {
      return {
          "is not made: its work was cancelled, and a cancellation does not reach another process; replay it "
          "without isolation"};
    }
    layer_.set_call(&call, is_cancelled);
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
  const std::set<std::uint64_t> cancelled_;
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
