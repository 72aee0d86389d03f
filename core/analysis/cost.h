// Cost: how much work a module is, counted as XLA's HloCostAnalysis does, from which frameworks show it.
#pragma once

#include <vector>

#include "core/ir/module.h"

namespace bp::analysis {

struct Cost {
  double contractions = 0;  // arithmetic operations of dots and convolutions: a multiplication with addition is two
  double others = 0;        // all other arithmetic operations, of any type
  double functions = 0;     // exp, sin and the like, which are no operations
  double bytes = 0;         // that are read and written in memory, outside of fusions

  double operations() const { return contractions + others; }
  Cost &operator+=(const Cost &more);
};
Cost operator*(double times, const Cost &cost);

// An instruction with work or memory of its own, outside of fusions and other functions of an op. A while, conditional
// or call is none: its computations have instructions of their own.
struct InstructionCost {
  ir::InstructionId instruction;
  double times = 1;  // number of times that it runs
  Cost cost;         // of all these times
};

struct Costs {
  Cost sum;
  std::vector<InstructionCost> instructions;  // those that run at all, in the module's order
  // Loops that are counted once, because the number of their iterations is not known.
  std::vector<ir::InstructionId> unknown_loops;
  // Conditionals, of which the branch with most operations counts.
  std::vector<ir::InstructionId> conditionals;
};

// Counts the instructions that the entry runs. A loop counts as often as it runs if that is known, otherwise once; of a
// conditional, one branch counts. What a custom call does is not known: it has bytes alone. Takes linear time.
Costs costs(const ir::Module &module);

// Returns the sum of costs().
Cost cost(const ir::Module &module);

// Returns the cost of one run of each computation, by computation id, with what it calls; zeros for those that the
// entry does not reach.
std::vector<Cost> costs_of_computations(const ir::Module &module);

// Returns the cost of running an instruction once, with what it calls; `of`: from costs_of_computations().
Cost cost_of(const ir::Instruction &instruction, const std::vector<Cost> &of);

}  // namespace bp::analysis
