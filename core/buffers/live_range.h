// Live ranges: the time for which each value must be kept. The schedule is flattened to one line of ticks: the bodies
// of while, conditional and call come before the tick of the instruction itself, one after another, each between a
// first tick, at which its parameters are available, and a last one, at which its root is read.
#pragma once

#include <cstdint>
#include <vector>

#include "core/buffers/dataflow.h"

namespace bp::buffers {

using Tick = std::uint32_t;

// The flattened schedule of the entry computation.
struct Timeline {
  std::vector<Tick> at;    // by InstructionId: the tick at which it runs; for callers, at which the result is available
  std::vector<Tick> call;  // by InstructionId, for callers: the tick before their callees
  std::vector<Tick> begin, end;                 // by ComputationId
  std::vector<ir::InstructionId> instructions;  // by Tick; no_instruction at first and last ticks and calls
  Tick last = 0;
};
Timeline flatten_schedule(const Dataflow &dataflow);

// Returns, by tick t, the last tick up to which no instruction after t depends on the instruction at t, directly or
// through others; at most t + `window`, and not beyond a first or last tick or a call. The instructions in this range
// may run at the same time as the one at t.
std::vector<Tick> independent_until(const Dataflow &dataflow, const Timeline &timeline, Tick window);

// Both ends are inclusive: the tick of the definition and the tick of the last use.
struct LiveRange {
  Tick begin = 0, end = 0;
};

// Returns the range of each value, by ValueId.
//   * Forwarding ops use nothing.
//   * The initial value of while state that the body changes is used just before the loop; one that the body does not
//     change is used throughout the loop.
//   * Changed state is live throughout the condition, and in the body from the first tick to the last use.
//   * The entry's root is live to the end, its parameters from the beginning, constants always.
std::vector<LiveRange> live_ranges(const Dataflow &dataflow, const Timeline &timeline);

}  // namespace bp::buffers
