// Live ranges: when each value must be kept. The schedule is flattened to one line of ticks: the bodies of while,
// conditional and call lie before the tick of the instruction itself, one after another, each between a first tick at
// which its parameters are there and a last one at which its root is read.
#pragma once

#include <cstdint>
#include <vector>

#include "core/buffers/dataflow.h"

namespace bp::buffers {

using Tick = std::uint32_t;

// The flattened schedule of the entry computation.
struct Timeline {
  std::vector<Tick> at;                         // by InstructionId: when it runs; a caller: when its result is there
  std::vector<Tick> call;                       // by InstructionId: a caller: the tick before its callees
  std::vector<Tick> begin, end;                 // by ComputationId
  std::vector<ir::InstructionId> instructions;  // by Tick; no_instruction at first and last ticks and calls
  Tick last = 0;
};
Timeline flatten_schedule(const Dataflow &dataflow);

// By tick t: the last tick such that no instruction after t, up to there, needs what the instruction at t does or waits
// for what does; at most t + `window`, and not beyond a first or last tick or a call. So long may these run at the same
// time.
std::vector<Tick> independent_until(const Dataflow &dataflow, const Timeline &timeline, Tick window);

// Both ends inclusive: the tick of the definition, and that of the last use.
struct LiveRange {
  Tick begin = 0, end = 0;
};

// The range of each value, by ValueId.
//   * Forwarding ops use nothing.
//   * The initial value of while state that the body changes is used just before the loop; one that the loop leaves as
//     it is, throughout the loop.
//   * Changed state lives throughout the condition, and in the body from the first tick to the last use.
//   * The entry's root lives to the end, its parameters from the beginning, constants always.
std::vector<LiveRange> live_ranges(const Dataflow &dataflow, const Timeline &timeline);

}  // namespace bp::buffers
