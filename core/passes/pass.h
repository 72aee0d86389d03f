// A pass: a function that rewrites a module. passes.def lists them; each is defined in the file of its name.
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

// The instruction at which a pass stopped copying, and the reason.
struct GrowthStop {
  std::string instruction, reason;
};

// Layout that a device prefers for an operand or a result.
struct LayoutPreference {
  ir::InstructionId instruction;
  bool is_result;
  std::size_t slot;  // index of the operand, or of the array among the results
  ir::Layout layout;
  double gain_nanoseconds;  // time saved; negative: the device does not run the instruction in another layout

  bool is_required() const { return gain_nanoseconds < 0; }
};

// Settings of passes. The limits keep them near linear on any input.
struct PassContext {
  // Limit of the module's size, at which passes that have to copy (flattening) fail.
  std::size_t max_instructions = 4'000'000;
  // Limit of the module's size, at which passes stop that copy to make programs faster (inlining of calls, loops and
  // branches, unrolling); see inlining.h.
  std::size_t max_inlined_instructions = 250'000;
  // Maximum number of instructions that a loop is unrolled to.
  std::size_t max_unrolled_instructions = 64;
  FusionLimits fusion;
  // Callbacks that are told of decisions; may be empty.
  std::function<void(const FusionDecision &)> explain_fusion;
  std::function<void(const GrowthStop &)> explain_growth;
  // Whether the device runs this instruction as it is, so that expanding passes leave it alone. If empty, the device
  // runs none of the ops that these passes rewrite.
  std::function<bool(const ir::Instruction &)> is_native;
  // Whether the device computes in f64. If not, formulas that need more precision than f32 has use other means.
  bool has_f64 = true;
  // Maximum size, in bytes, of a constant that folding creates, and the maximum work to compute it, in element
  // operations.
  std::int64_t max_folded_bytes = 1 << 16;
  std::int64_t max_folding_work = 1 << 22;
  // Whether floats may be computed by rules that hold for real numbers only.
  bool allow_inexact_algebra = false;
  // Maximum memory, in bytes, of a program's values, for rematerialization; 0: no limit.
  std::int64_t memory_limit = 0;
  // For layout assignment: the device's preferences about the current module, and the memory bandwidth, which gives the
  // cost of copies.
  std::vector<LayoutPreference> layout_preferences;
  double memory_gigabytes_per_second = 10;
  // Size, in bytes, above which constants are moved out of fusions.
  std::int64_t max_fused_constant_bytes = 4096;
};

// Returns whether the module changed. Expects a verified module and leaves a verified one, with unique instruction
// names, computations in callees-first order, and the same results. On error the module is still valid but may be
// changed.
using PassFunction = Result<bool> (*)(ir::Module &module, const PassContext &context);

#define BP_PASS(function, ...) Result<bool> function(ir::Module &module, const PassContext &context);
#include "core/passes/passes.def"

// Maximum backward error of results, in units in the last place. 0: the results are the same bit for bit, NaN for NaN.
// Passes that reassociate sums or compute by another formula are backward stable: their results are equal to the exact
// results for inputs that are changed by at most `units`, rounded to within `units` of the value or of the typical
// value of its array, whichever is larger.
struct Rounding {
  double units = 0;
};

// Why a compilation cannot do without the pass; empty: it can.
struct Required {
  std::string_view because;
};

struct Pass {
  std::string_view name, summary;
  PassFunction run;
  Rounding rounding = {};
  Required required = {};
};

// All rows of passes.def, in its order.
std::span<const Pass> passes();
// Returns nullptr if there is no pass of that name.
const Pass *find_pass(std::string_view name);

}  // namespace bp::passes
