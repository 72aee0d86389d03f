// Deadline: detects that a call of the plugin does not return, or that submitted work is not signalled. It cannot
// interrupt either: the device may still write to the memory that it was given, so that memory must not be freed, and
// threads that wait for it keep waiting. It can only notify the caller, who may end the process.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "core/host/entry.h"

namespace bp::layers {

// `overdue` is called once, from a thread of the layer, with a description: "queue.submit was not signalled for 5 s".
host::Layer deadline_layer(std::chrono::milliseconds time, std::function<void(const std::string &what)> overdue);

}  // namespace bp::layers
