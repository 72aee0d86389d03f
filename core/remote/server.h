// Server: the worker's side of the protocol. It makes the calls that arrive over channels on the plugin that it has
// loaded; each channel has a thread of its own.
#pragma once

#include <string>

#include "core/remote/channel.h"

namespace bp::remote {

// Serves until the other side closes the channel, then ends the process, even if calls are in progress. Never returns.
// `unrestricted`: what this process can do and should not, for the application (core/base/restriction.h).
[[noreturn]] void serve(Channel control, std::string unrestricted);

}  // namespace bp::remote
