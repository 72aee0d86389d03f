// Dependences: the commands of a launch plan that each command waits for, so that the others can run at the same time.
//
// They are found from the bytes that each command reads and writes, after values were given memory. The planner gives
// the same memory to several values, one after the other in schedule order. So a command that writes a byte waits for
// all commands that used it before, even if their values have nothing to do with each other, and buffers share memory
// in that order only. Scratch memory is treated like any other.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plugins/gpu/launch_plan.h"

namespace bp::gpu {

// The commands [begin, end) of a plan, launches and moves. No jump goes to one of them except to the first. Segments
// take effect in order.
struct Segment {
  std::uint32_t begin = 0, end = 0;
  std::uint32_t size() const { return end - begin; }
};
// Returns all segments of a plan, in order. Each is as long as possible, and not empty.
std::vector<Segment> segments(const LaunchPlan &plan);

// Sets the dependences of all commands, which had none. memory_of: for each allocation, the allocation whose memory it
// has, which is itself unless it was donated. Time and number of dependences are near-linear in commands and ranges:
// one of several commands that use the same bytes may represent all before it, so some commands are ordered without
// need.
void add_dependences(LaunchPlan &plan, std::span<const std::uint32_t> memory_of);

// Returns the commands of the segment in an order that puts the last ones first wherever the dependences allow it.
std::vector<std::uint32_t> last_first(const LaunchPlan &plan, const Segment &segment);

}  // namespace bp::gpu
