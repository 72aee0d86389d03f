// Server: the worker's side of the protocol. It makes the calls that arrive over channels on the plugin that it has
// loaded; each channel has a thread of its own.
#pragma once

#include "core/remote/channel.h"

namespace bp::remote {

// Serves until the other side closes the channel, then ends the process, even if calls are in progress. Never returns.
[[noreturn]] void serve(Channel control);

}  // namespace bp::remote
