// The scheduler's view of a computation: numbered instructions, the order constraints between them, and the values that
// they make and read; and a simulation of the memory that an order needs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/analysis/side_effects.h"
#include "core/buffers/dataflow.h"

namespace bp::buffers {

using Number = std::uint32_t;  // number of an instruction within its computation, or of a value that is live there
using Order = std::vector<Number>;

// Values whose slice does not depend on the order (parameters, constants) are left out, except parameters that may be
// overwritten: donated ones, and the state of a loop that its body changes.
struct ScheduleGraph {
  std::vector<ir::InstructionId> ids;
  std::vector<std::vector<Number>> before, after;  // edges, by instruction
  std::vector<std::vector<Number>> made, read;     // values, by instruction; each listed once
  std::vector<std::int64_t> inner_peak;  // by instruction: maximum bytes live within the computations it calls

  std::vector<std::int64_t> size;  // by value, in bytes
  std::vector<Number> readers;     // by value: number of reading instructions, plus one if the root shows it
  std::vector<std::vector<Number>> overwritable;  // by value: operands that its instruction may overwrite with it
  std::vector<Number> initial;                    // values that exist from the start
  // Results, donated inputs and loop state have memory of their own, which can also hold values of equal size before or
  // afterwards. So, for each size, as many live values as there are such slots cost nothing.
  std::vector<Number> size_class;  // by value
  // By size class: number of such slots.
  std::vector<std::int64_t> class_slots;
  std::int64_t base = 0;  // bytes that are live all the time

  Number count() const { return static_cast<Number>(ids.size()); }
  Number add_value(std::int64_t bytes, Number of_class);
};

// `peaks`: by ComputationId, the peaks of the computations it calls; `numbers`: by InstructionId, filled by this
// function. Linear.
ScheduleGraph make_graph(const Dataflow &dataflow, const analysis::SideEffects &side_effects,
                         ir::Computation computation, std::span<const std::int64_t> peaks,
                         std::vector<Number> &numbers);

// The memory that is live while instructions run one after another. A result takes the memory of an operand whose last
// use is there, if the instruction may overwrite it.
class LiveMemory {
 public:
  explicit LiveMemory(const ScheduleGraph &graph);

  // Returns the bytes live while it runs, including those within the computations it calls.
  std::int64_t run(Number instruction);
  std::int64_t live() const { return live_; }
  // Whether, for each size class, at most as many values are live as in `other`.
  bool holds_no_more_than(const LiveMemory &other) const;
  bool is_live(Number value) const { return is_live_[value]; }
  Number readers_left(Number value) const { return readers_[value]; }
  std::int64_t count(Number of_class) const { return class_count_[of_class]; }  // number of live values

 private:
  void begin(Number value);
  void end(Number value);

  const ScheduleGraph *graph_;
  std::vector<Number> readers_;            // by value: number of readers that have not run
  std::vector<bool> is_live_;              // by value
  std::vector<std::int64_t> class_count_;  // by class: number of live values
  std::int64_t live_ = 0;
};

// Returns the maximum number of bytes live when the instructions run in this order.
std::int64_t peak_of(const ScheduleGraph &graph, const Order &order);

// Returns a lower bound of the peak of any order: the maximum that an instruction needs for the values it reads and
// makes.
std::int64_t min_peak(const ScheduleGraph &graph);

}  // namespace bp::buffers
