// A pass: one function that rewrites a module. passes.def lists them; each is in the file of its name.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/ir/module.h"
#include "core/passes/fusion/limits.h"

namespace bp::passes {

// Where a pass stopped copying.
struct GrowthStop {
  std::string instruction, reason;
};

// What a device would like an operand or a result to lie like.
struct LayoutWish {
  ir::InstructionId instruction;
  bool is_result;
  std::size_t slot;  // number of an operand, or of an array among the results
  ir::Layout layout;
  double gain_nanoseconds;  // negative: it does not run the instruction otherwise

  bool is_required() const { return gain_nanoseconds < 0; }
};

// What passes may want to know beyond the module. Limits keep them near linear on any input.
struct PassContext {
  // Passes that must copy (flattening) fail when the module would get larger.
  std::size_t max_instructions = 4'000'000;
  // Passes that copy to make programs faster (inlining of calls, loops and branches, unrolling) stop there; see
  // inlining.h.
  std::size_t max_inlined_instructions = 250'000;
  // Loops are unrolled to no more instructions than this.
  std::size_t max_unrolled_instructions = 64;
  FusionLimits fusion;
  // Told of decisions; may be empty.
  std::function<void(const FusionDecision &)> explain_fusion;
  std::function<void(const GrowthStop &)> explain_growth;
  // Whether the device runs this instruction as it is, so that expanding passes leave it alone; empty: it runs none of
  // those they know.
  std::function<bool(const ir::Instruction &)> is_native;
  // Whether the device computes in f64; formulas that want more digits than f32 has then do without.
  bool has_f64 = true;
  // Constants that folding may make, in bytes, and the work it may spend on one of them, in element operations.
  std::int64_t max_folded_bytes = 1 << 16;
  std::int64_t max_folding_work = 1 << 22;
  // Whether floats may be computed by rules that hold for real numbers only.
  bool allow_inexact_algebra = false;
  // Bytes that a program's values may take, for rematerialization; 0: any.
  std::int64_t memory_limit = 0;
  // For layout assignment: wishes, of the module at hand, and what copies cost.
  std::vector<LayoutWish> layout_wishes;
  double memory_gigabytes_per_second = 10;
  // Larger constants do not stay inside fusions.
  std::int64_t max_fused_constant_bytes = 4096;
};

// Returns whether the module changed. Expects a verified module and leaves one, with unique instruction names,
// computations in callees-first order, and the same results. On error the module is still sound but may be changed.
using PassFunction = Result<bool> (*)(ir::Module &module, const PassContext &context);

#define BP_PASS(function, ...) Result<bool> function(ir::Module &module, const PassContext &context);
#include "core/passes/passes.def"

// How far results may move. 0: not at all, bit for bit, NaN for NaN. Passes that reassociate sums or compute by another
// formula state their backward error: the results are those of inputs that are moved by that many units in the last
// place, and then rounded within as many units of each value or the typical one of its array, whichever is more.
struct Rounding {
  double units = 0;
};

struct Pass {
  std::string_view name, summary;
  PassFunction run;
  Rounding rounding = {};
};

// All rows of passes.def, in its order.
std::span<const Pass> passes();
// Null if there is none of that name.
const Pass *find_pass(std::string_view name);

}  // namespace bp::passes
