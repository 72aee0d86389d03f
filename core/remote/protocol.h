// Protocol between an application and the worker that runs a plugin for it.
//
// A control channel lasts as long as the worker. Over it the application opens further channels, one for each
// concurrent call, and the worker sends the plugin's calls to the host: signals and logs. When the control channel
// closes, the other side has ended. On each of the other channels there is one request at a time, followed by its
// reply.
#pragma once

#include <cstdint>

namespace bp::remote {

enum class Request : std::uint8_t {
  Start,   // version, path, services withheld. Reply: Answer; reports, what is not restricted, descriptions
  Map,     // id, size, with the segment attached. Reply: Answer
  Unmap,   // id. Reply: Answer
  Know,    // hash, content: a content that later calls may refer to. Reply: Answer
  Forget,  // hash. Reply: Answer
  Call,    // function, object, made, inputs. Reply: Answer; outputs
};

enum class Answer : std::uint8_t {
  Done,
  Refused,  // text: why the request was not carried out
  Threw,    // text: the message of the exception that the plugin threw
  Unknown,  // the worker does not have a content that the call refers to (any more)
};

enum class Event : std::uint8_t { Signal, Log };  // followed by device, inputs of the host's function

}  // namespace bp::remote
