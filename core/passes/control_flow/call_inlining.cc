// Replaces each call by a copy of the callee's instructions. Kept are calls of composites (a device may know them by
// name), calls on another thread, and calls of a callee whose copies would add too many instructions in total: chains
// of calls can double the module at each level.
#include "core/analysis/call_graph.h"
#include "core/passes/inlining.h"
#include "core/passes/pass.h"
#include "core/passes/rewrite.h"

namespace bp::passes {
namespace {

bool is_inlinable(const ir::Instruction &call) {
  return call.opcode() == ir::Opcode::Call && call.number(ir::AttributeKey::IsComposite) == 0 &&
         call.called(0).execution_thread() == call.parent().execution_thread();
}

// Sizes of computations after inlining of all calls, by computation id. Doubles, because they can exceed any integer.
struct InlinedSizes {
  std::vector<double> instructions;  // instructions of one copy, with those inlined into it
  std::vector<double> copies;

  explicit InlinedSizes(const ir::Module &module)
      : instructions(module.computation_id_limit()), copies(module.computation_id_limit()) {
    const auto callees_first = module.computation_ids();
    for (ir::ComputationId id : callees_first) {
      double &own = instructions[index(id)];
      for (ir::Instruction instruction : module.computation(id).instructions()) {
        own += is_inlinable(instruction) ? instructions[index(instruction.calls()[0])] : 1;
      }
    }
    for (auto id = callees_first.rbegin(); id != callees_first.rend(); ++id) {
      // A computation without inlined calls exists once.
      const double own = std::max(copies[index(*id)], 1.0);
      for (ir::Instruction instruction : module.computation(*id).instructions()) {
        if (is_inlinable(instruction)) {
          copies[index(instruction.calls()[0])] += own;
        }
      }
    }
  }

  double all_copies(ir::ComputationId id) const { return instructions[index(id)] * copies[index(id)]; }
};

}  // namespace

Result<bool> call_inlining(ir::Module &module, const PassContext &context) {
  tidy(module);
  const InlinedSizes sizes(module);
  GrowthBudget budget(module, context);
  return inline_bodies(module, budget, [&](const ir::Instruction &call) -> std::optional<InlinedBody> {
    if (!is_inlinable(call)) {
      return std::nullopt;
    }
    const ir::ComputationId callee = call.calls()[0];
    if (sizes.copies[index(callee)] > 1 &&
        sizes.all_copies(callee) > static_cast<double>(context.max_inlined_instructions)) {
      budget.report_refusal(call, sizes.all_copies(callee));
      return std::nullopt;
    }
    return InlinedBody{callee, {call.operands().begin(), call.operands().end()}};
  });
}

}  // namespace bp::passes
