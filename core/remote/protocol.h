// What an application and the worker that runs a plugin for it say to each other.
//
// A control channel lasts as long as the worker. Over it the application opens channels, one for each call that is going
// on at a time, and the worker sends what the plugin says to the host: signals and logs. When it closes, the other side
// has ended. On a channel there is one request at a time, and its reply.
#pragma once

#include <cstdint>

namespace bp::remote {

enum class Request : std::uint8_t {
  Start,   // version, path, services withheld. Reply: Answer; reports, descriptions
  Map,     // id, size, with the segment attached. Reply: Answer
  Unmap,   // id. Reply: Answer
  Know,    // a content, for calls to come: hash, content. Reply: Answer
  Forget,  // hash. Reply: Answer
  Call,    // function, object, made, inputs. Reply: Answer; outputs
};

enum class Answer : std::uint8_t {
  Done,
  Refused,  // text: why; what was asked for was not tried
  Threw,    // text: what the plugin threw
  Unknown,  // a content of the call is not known (any more)
};

enum class Event : std::uint8_t { Signal, Log };  // device, inputs of the host's function

}  // namespace bp::remote
