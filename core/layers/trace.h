// Trace: records every call between core and plugin on a timeline, as Chrome trace events: open the file in
// ui.perfetto.dev.
//
// Calls by the core are in the rows of their threads, calls by the plugin below them. An arrow leads from each submit()
// to its signal. Devices that report with bp.profile/draft-1 get rows of their own, with one instruction after another.
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

// The events recorded so far. Threads: all functions may be called from any thread.
class Trace {
 public:
  using Clock = std::chrono::steady_clock;

  // Keeps the trace in memory.
  Trace() = default;
  // Writes the trace to a file, event by event: the file is valid at any time, even if the process ends early. Replaces
  // an existing file; it must be seekable.
  static Result<std::shared_ptr<Trace>> create(const std::string &path);

  // Adds an event to the row of this thread, from `start` to now. `details`: members of a JSON object.
  void add(std::string_view name, Clock::time_point start, std::string details);
  // Adds an event to a row of the device; its clock started when the trace did.
  void add_of_device(std::string_view name, std::uint32_t track, std::uint64_t begin_ns, std::uint64_t end_ns);
  // Adds the begin or the end of an asynchronous event.
  void add_asynchronous(std::string_view name, char phase, std::uint64_t id);

  std::size_t size() const;
  // Returns the events as JSON, if the trace is kept in memory.
  std::string to_json() const;
  // Returns an error if not all of it could be written.
  Status status() const;

 private:
  void append(std::string event);
  double microseconds(Clock::time_point time) const;
  std::size_t row();

  mutable std::mutex mutex_;
  const Clock::time_point start_ = Clock::now();
  std::size_t size_ = 0;
  std::string events_;  // used if there is no file
  std::optional<OutputFile> file_;
  std::unordered_map<std::thread::id, std::size_t> rows_;
};

host::Layer trace_layer(std::shared_ptr<Trace> trace);

}  // namespace bp::layers
