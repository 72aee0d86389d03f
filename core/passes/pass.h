// A pass: one function that rewrites a module. passes.def lists them; each is in the file of its name.
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "core/base/result.h"
#include "core/ir/module.h"

namespace bp::passes {

// What passes may want to know beyond the module. Limits keep them near linear on any input.
struct PassContext {
  // Copying passes (inlining, flattening) stop, or fail where they must copy, when the module would get larger.
  std::size_t max_instructions = 4'000'000;
  // Larger fusions are cut.
  std::size_t max_fusion_instructions = 64;
  // Whether a device takes this instruction inside of a fusion; empty: it takes all.
  std::function<bool(const ir::Instruction &)> may_fuse;
  // Whether the device runs this instruction as it is, so that expanding passes leave it alone; empty: it runs none of
  // those they know.
  std::function<bool(const ir::Instruction &)> is_native;
  // Constants that folding may make, in bytes, and the work it may spend on one of them, in element operations.
  std::int64_t max_folded_bytes = 1 << 16;
  std::int64_t max_folding_work = 1 << 22;
  // Whether floats may be computed by rules that hold for real numbers only.
  bool allow_inexact_algebra = false;
  // Larger constants do not stay inside fusions.
  std::int64_t max_fused_constant_bytes = 4096;
};

// Returns whether the module changed. Expects a verified module and leaves one, with unique instruction names,
// computations in callees-first order, and the same results. On error the module is still sound but may be changed.
using PassFunction = Result<bool> (*)(ir::Module &module, const PassContext &context);

#define BP_PASS(function, name, summary) Result<bool> function(ir::Module &module, const PassContext &context);
#include "core/passes/passes.def"

struct Pass {
  std::string_view name, summary;
  PassFunction run;
};

// All rows of passes.def, in its order.
std::span<const Pass> passes();
// Null if there is none of that name.
const Pass *find_pass(std::string_view name);

}  // namespace bp::passes
