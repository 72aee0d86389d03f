// Inlining: instructions that call give way to copies of the bodies they call, within a budget.
#pragma once

#include <functional>
#include <optional>
#include <unordered_set>
#include <vector>

#include "core/ir/builder.h"
#include "core/passes/pass.h"

namespace bp::passes {

// What copies of bodies may add to a module. The first copy of a body is free: it stands for the body itself.
class GrowthBudget {
 public:
  GrowthBudget(const ir::Module &module, const PassContext &context);

  // Whether so many copies of that body may be made at once, which then count. If not, PassContext::explain_growth is
  // told, for the first of them: the others stop for the same reason.
  bool take(const ir::Instruction &caller, const ir::Computation &body, std::size_t copies = 1);
  // That the caller stays, as inlining it would make a module of so many instructions.
  void refuse(const ir::Instruction &caller, double instructions);

 private:
  const PassContext &context_;
  std::size_t count_;
  std::unordered_set<ir::ComputationId> copied_;
  bool has_refused_ = false;
};

// The body that stands for an instruction, with its arguments.
struct InlinedBody {
  ir::ComputationId body;
  std::vector<ir::InstructionId> arguments;
};

// Inlines what `choose` gives a body for. Callers come first, and what was copied is looked at in its turn: so nothing
// is copied that is copied again, and the work is linear in what comes out, however deep calls nest. What is ordered by
// control predecessors stays. Returns whether anything was inlined.
bool inline_bodies(ir::Module &module, GrowthBudget &budget,
                   const std::function<std::optional<InlinedBody>(const ir::Instruction &)> &choose);

// Adds a call, for inline_calls_of() to deal with.
ir::InstructionId add_call(ir::Builder &b, ir::ComputationId callee, std::span<const ir::InstructionId> arguments);

// Inlines the calls of these computations, whatever thread they name, within a budget of its own: for passes that rewrite
// an op as a call of its body. A call for which there is no room stays. Returns whether anything was inlined.
bool inline_calls_of(ir::Module &module, const PassContext &context,
                     const std::unordered_set<ir::ComputationId> &callees);

}  // namespace bp::passes
