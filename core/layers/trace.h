// Trace: every call between core and plugin on a timeline, as Chrome's trace events: open it in ui.perfetto.dev.
//
// Calls of the core stand in the rows of their threads, calls of the plugin beneath them. A submit() is an arrow to its
// signal. Devices that have bp.profile/1 to report get rows of their own, an instruction after the other.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <unordered_map>

#include "core/base/files.h"
#include "core/host/entry.h"

namespace bp::layers {

// What was traced so far. Threads: all functions from any thread.
class Trace {
 public:
  using Clock = std::chrono::steady_clock;

  // Kept in memory.
  Trace() = default;
  // In a file, event by event: it is whole at any time, also if the process ends before its time. Replaces what is
  // there, which must be a file in which one can go back.
  static Result<std::shared_ptr<Trace>> create(const std::string &path);

  // An event of a row of this thread, from `start` to now. `details`: members of a JSON object.
  void add(std::string_view name, Clock::time_point start, std::string details);
  // An event of a device's own row; its clock began when the trace did.
  void add_of_device(std::string_view name, std::uint32_t track, std::uint64_t begin_ns, std::uint64_t end_ns);
  // Begin or end of what goes on in between.
  void add_asynchronous(std::string_view name, char phase, std::uint64_t id);

  std::size_t size() const;
  // The events as JSON, if the trace is kept in memory.
  std::string to_json() const;
  // Whether all of it could be written.
  Status status() const;

 private:
  void append(std::string event);
  double microseconds(Clock::time_point time) const;
  std::size_t row();

  mutable std::mutex mutex_;
  const Clock::time_point start_ = Clock::now();
  std::size_t size_ = 0;
  std::string events_;  // if there is no file
  std::optional<OutputFile> file_;
  std::unordered_map<std::thread::id, std::size_t> rows_;
};

host::Layer trace_layer(std::shared_ptr<Trace> trace);

}  // namespace bp::layers
