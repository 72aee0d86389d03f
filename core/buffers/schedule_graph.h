// A computation as the scheduler sees it: instructions by number, what must come before what, which values are made and
// read where; and a simulation of the memory that an order needs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/analysis/side_effects.h"
#include "core/buffers/dataflow.h"

namespace bp::buffers {

using Number = std::uint32_t;  // of an instruction within its computation, or of a value that lives there
using Order = std::vector<Number>;

// Values whose place does not depend on the order (what comes in through parameters, constants) are left out. In are the
// parameters that may be overwritten: donated ones, and the state of a loop that its body changes.
struct ScheduleGraph {
  std::vector<ir::InstructionId> ids;
  std::vector<std::vector<Number>> before, after;  // edges, by instruction
  std::vector<std::vector<Number>> made, read;     // values, by instruction; each once
  std::vector<std::int64_t> inner_peak;            // by instruction: bytes live within what it calls

  std::vector<std::int64_t> size;         // by value, bytes
  std::vector<Number> readers;            // by value: how many instructions; one more if the root shows it
  std::vector<std::vector<Number>> over;  // by value: those its instruction may overwrite with it
  std::vector<Number> initial;            // the values that are there from the start
  // Results, donated inputs and loop state have places that are there in any case and serve values of equal size before
  // or afterwards. So of each size as many values as there are such places cost nothing.
  std::vector<Number> size_class;  // by value
  std::vector<std::int64_t> class_places;
  std::int64_t base = 0;  // bytes that are live all the time

  Number count() const { return static_cast<Number>(ids.size()); }
  Number add_value(std::int64_t bytes, Number of_class);
};

// `peaks`: by ComputationId, those of the computations it calls; `numbers`: by InstructionId, is filled in. Linear.
ScheduleGraph make_graph(const Dataflow &dataflow, const analysis::SideEffects &side_effects,
                         ir::Computation computation, std::span<const std::int64_t> peaks,
                         std::vector<Number> &numbers);

// The memory that is live while instructions run one after another. A result takes the place of an operand that dies
// there where the instruction may overwrite it.
class LiveMemory {
 public:
  explicit LiveMemory(const ScheduleGraph &graph);

  // Returns the bytes live while it runs, also within what it calls.
  std::int64_t run(Number instruction);
  std::int64_t live() const { return live_; }
  // Of values of each size.
  bool holds_no_more_than(const LiveMemory &other) const;
  bool is_live(Number value) const { return is_live_[value]; }
  Number readers_left(Number value) const { return readers_[value]; }
  std::int64_t count(Number of_class) const { return class_count_[of_class]; }  // of live values

 private:
  void begin(Number value);
  void end(Number value);

  const ScheduleGraph *graph_;
  std::vector<Number> readers_;            // by value: those that have not run
  std::vector<bool> is_live_;              // by value
  std::vector<std::int64_t> class_count_;  // by class: values live
  std::int64_t live_ = 0;
};

// The most bytes live when the instructions run in this order.
std::int64_t peak_of(const ScheduleGraph &graph, const Order &order);

// No order has a lower peak: some instruction needs that much for what it reads and makes.
std::int64_t min_peak(const ScheduleGraph &graph);

}  // namespace bp::buffers
