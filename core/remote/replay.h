// Replay: makes the calls of a recording again, on the plugin that was recorded or on another build of it, and reports
// the differences of their outcomes. Needs neither the application nor a compiler.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "core/host/plugin.h"
#include "core/remote/isolation.h"
#include "core/remote/recording.h"

namespace bp::remote {

// A call whose outcome differs from the recorded one.
struct Difference {
  const RecordedCall *call;
  std::string about;              // "softmax, stage 4, 12 instructions"; may be empty
  std::vector<std::string> what;  // "status: recorded ok, came internal error"
};

struct ReplayOptions {
  // The plugins on which the calls are made, by the number of the plugin in the recording.
  std::vector<std::shared_ptr<const host::Plugin>> plugins;
  // Time that a submit() may take until it is signalled. After the last call, too: the recording of an application that
  // was killed ends while work is in flight.
  std::chrono::milliseconds patience = std::chrono::seconds(60);
  // Whether the plugins run in other processes. Calls whose work was cancelled are then not made, because a
  // cancellation does not reach a worker.
  bool is_isolated = false;
  // Called before each call is made; may be empty.
  std::function<void(const RecordedCall &)> before;
};

struct ReplayReport {
  std::size_t made = 0;  // number of calls that were made
  std::vector<Difference> differences;
  // The submit() calls that were accepted and not signalled in time. Their devices are not destroyed, because the
  // plugin may still use what they work on: end the process without destructors of the plugin, by std::_Exit().
  std::vector<const RecordedCall *> unfinished;
};

// Returns the layer with which the plugins of ReplayOptions must be loaded, above all other layers.
host::Layer replay_layer();

// Returns the isolation in which the calls of a plugin of the recording can be made again: a device that had no memory
// when it was recorded does not get any.
Isolation isolation_for(const Recording &recording, std::uint64_t plugin, Isolation isolation);

ReplayReport replay(const Recording &recording, const ReplayOptions &options);

}  // namespace bp::remote
