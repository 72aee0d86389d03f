// Cost: how much work a module is, counted as XLA's HloCostAnalysis does, from which frameworks show it.
#pragma once

#include "core/ir/module.h"

namespace bp::analysis {

struct Cost {
  double operations = 0;  // arithmetic ones, of any type: a multiplication with addition is two
  double functions = 0;   // exp, sin and the like, which are no operations
  double bytes = 0;       // operands and results of each instruction that is not inside of a fusion
};

// Returns the cost of the entry. A loop counts as often as it runs if that is known, otherwise once; of a conditional,
// the dearest branch counts. What a custom call does is not known: it has bytes alone. Takes linear time.
Cost cost(const ir::Module &module);

}  // namespace bp::analysis
