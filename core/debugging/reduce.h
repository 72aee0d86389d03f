// Shrinks a module to a few instructions that still show a problem.
//
// Delta debugging: a rule says how an instruction can be simplified (to a parameter, one of its operands, zero, the
// body of the loop); it is applied to half of the instructions at once, then to quarters, down to single ones, and a
// change is kept if the predicate still holds. Because most of a large program is removed in the first rounds, the
// number of trials is near linear in the size of the result, not of the input.
#pragma once

#include <functional>

#include "core/base/result.h"
#include "core/ir/module.h"

namespace bp::debugging {

// Whether the module still shows the problem. The module passed is verified.
using Interesting = std::function<bool(const ir::Module &)>;

struct ReduceOptions {
  int max_trials = 100'000;
  double max_seconds = 3600;
  // Called after each trial; `instructions`: number of instructions of the smallest interesting module so far.
  std::function<void(int trials, std::size_t instructions)> progress;
};

struct Reduced {
  ir::Module module;
  int trials = 0;
  bool is_complete = false;  // nothing more can be simplified; otherwise a limit was reached
};

// The module must be verified and interesting; this is not checked again.
Reduced reduce(ir::Module module, const Interesting &interesting, const ReduceOptions &options = {});

// Returns the part of a module that computes an instruction from values `depth` operands away, which become parameters.
// For an instruction in a called computation, the part is within that computation. NotFound if there is no instruction
// of that name.
Result<ir::Module> extract_slice(const ir::Module &module, std::string_view instruction, int depth);

// Removes instructions that the root does not need, and unused parameters: the signature changes.
void clean_up(ir::Module &module);

}  // namespace bp::debugging
