// Inlining: calling instructions are replaced by copies of the bodies that they call, within a budget.
#pragma once

#include <functional>
#include <optional>
#include <unordered_set>
#include <vector>

#include "core/ir/builder.h"
#include "core/passes/pass.h"

namespace bp::passes {

// Number of instructions that copies of bodies may add to a module. The first copy of a body is free, because it takes
// the place of the body itself.
class GrowthBudget {
 public:
  GrowthBudget(const ir::Module &module, const PassContext &context);

  // Whether `copies` more copies of that body fit into the budget; if so, they are counted. The first refusal is
  // reported to PassContext::explain_growth; later ones are not, because their reason is the same.
  bool try_spend(const ir::Instruction &caller, const ir::Computation &body, std::size_t copies = 1);
  // Reports that the caller is not inlined because the module would have that many instructions.
  void report_refusal(const ir::Instruction &caller, double instructions);

 private:
  const PassContext &context_;
  std::size_t count_;
  std::unordered_set<ir::ComputationId> copied_;
  bool has_refused_ = false;
};

// The body that replaces an instruction, with its arguments.
struct InlinedBody {
  ir::ComputationId body;
  std::vector<ir::InstructionId> arguments;
};

// Inlines the callers for which `choose` returns a body. Callers are handled before callees, and copied instructions
// are offered to `choose` in turn: so no copy is copied again, and the work is linear in the size of the result,
// however deeply calls nest. Instructions ordered by control predecessors are kept. Returns whether anything was
// inlined.
bool inline_bodies(ir::Module &module, GrowthBudget &budget,
                   const std::function<std::optional<InlinedBody>(const ir::Instruction &)> &choose);

// Adds a call that inline_calls_of() inlines later.
ir::InstructionId add_call(ir::Builder &b, ir::ComputationId callee, std::span<const ir::InstructionId> arguments);

// Inlines the calls of these computations, whatever execution thread they name, within a budget of its own: for passes
// that rewrite an op as a call of its body. Calls that exceed the budget are kept. Returns whether anything was
// inlined.
bool inline_calls_of(ir::Module &module, const PassContext &context,
                     const std::unordered_set<ir::ComputationId> &callees);

}  // namespace bp::passes
