// Replay: makes the calls of a recording again, on the plugin that was recorded or on another build of it, and says what
// came out differently. Needs neither the application nor a compiler.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "core/host/plugin.h"
#include "core/remote/recording.h"

namespace bp::remote {

// A call that came out differently.
struct Difference {
  const RecordedCall *call;
  std::string about;              // "softmax, stage 4, 12 instructions"; may be empty
  std::vector<std::string> what;  // "status: recorded ok, came internal error"
};

struct ReplayOptions {
  // By plugin of the recording.
  std::vector<std::shared_ptr<const host::Plugin>> plugins;
  // How long a submit() may take until it is signalled.
  std::chrono::milliseconds patience = std::chrono::seconds(60);
  // Told before a call is made; may be empty.
  std::function<void(const RecordedCall &)> before;
};

struct ReplayReport {
  std::size_t made = 0;  // calls
  std::vector<Difference> differences;
};

// What the plugins of ReplayOptions are loaded with, as the layer on top.
host::Layer replay_layer();

ReplayReport replay(const Recording &recording, const ReplayOptions &options);

}  // namespace bp::remote
