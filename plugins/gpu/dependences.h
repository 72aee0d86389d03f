// Dependences: which commands of a launch plan wait for which, so that the others may run at the same time.
//
// They are found by the bytes that each command reads and writes, after values were given memory. The planner gives
// memory to several values, one after the other in schedule order; so what writes a byte waits for all that used it
// before, also where they have nothing to do with each other, and buffers share memory in no order but that one. Scratch
// is memory like any other.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plugins/gpu/launch_plan.h"

namespace bp::gpu {

// Commands [begin, end), launches and moves, of which none is jumped to but the first. Segments take effect in order.
struct Segment {
  std::uint32_t begin = 0, end = 0;
  std::uint32_t size() const { return end - begin; }
};
// All of a plan, in order; each as long as can be, and not empty.
std::vector<Segment> segments(const LaunchPlan &plan);

// Sets the dependences of all commands, which had none. memory_of: for each allocation the one whose memory it is, which
// is itself unless it was donated. Time and number are near-linear in commands and places: one of several commands that
// use the same bytes may stand for all before it, so some are ordered that need not be.
void add_dependences(LaunchPlan &plan, std::span<const std::uint32_t> memory_of);

// The same commands, last ones first where the dependences let them.
std::vector<std::uint32_t> last_first(const LaunchPlan &plan, const Segment &segment);

}  // namespace bp::gpu
