// Shrinks a module to a few instructions that still show a problem.
//
// Delta debugging: a rule says how an instruction could become simpler (a parameter, one of its operands, zero, the body
// of the loop); it is applied to half of the instructions at once, then to quarters, down to single ones, and what the
// predicate still finds interesting is kept. As most of a large program goes in the first rounds, the number of trials is
// near linear in what is left, not in what was given.
#pragma once

#include <functional>

#include "core/base/result.h"
#include "core/ir/module.h"

namespace bp::debugging {

// Whether the module still shows the problem. It is verified.
using Interesting = std::function<bool(const ir::Module &)>;

struct ReduceOptions {
  int max_trials = 100'000;
  double max_seconds = 3600;
  // Called after each trial; instructions: of the smallest interesting module so far.
  std::function<void(int trials, std::size_t instructions)> progress;
};

struct Reduced {
  ir::Module module;
  int trials = 0;
  bool is_complete = false;  // nothing more can be simplified; else a limit was met
};

// The module must be verified and interesting: that is not tried again.
Reduced reduce(ir::Module module, const Interesting &interesting, const ReduceOptions &options = {});

// The part of a module that computes an instruction from values `depth` operands away, which become parameters. Of an
// instruction in a called computation, within that computation. NotFound if there is none of that name.
Result<ir::Module> extract_slice(const ir::Module &module, std::string_view instruction, int depth);

// Drops what the root does not need, and parameters that nobody uses: the signature changes.
void clean_up(ir::Module &module);

}  // namespace bp::debugging
