// Deadline: notices that a call of the plugin does not come back, or that what was submitted is not signalled. It cannot do
// anything about that: the device may still write to the memory that it was given, so that memory may not be freed, and
// who waits for it goes on waiting. What is left is to tell somebody, who may end the process.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "core/host/entry.h"

namespace bp::layers {

// `overdue` is called once, from a thread of the layer, with what was waited for: "queue.submit was not signalled for 5 s".
host::Layer deadline_layer(std::chrono::milliseconds time, std::function<void(const std::string &what)> overdue);

}  // namespace bp::layers
