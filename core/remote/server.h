// Server: the worker's side. Makes the calls that come over channels, each channel on a thread of its own, on the plugin
// that it has loaded.
#pragma once

#include "core/remote/channel.h"

namespace bp::remote {

// Serves until the other side closes, then ends the process, whatever calls are going on. Never returns.
[[noreturn]] void serve(Channel control);

}  // namespace bp::remote
