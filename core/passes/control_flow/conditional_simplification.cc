// Rules for conditional:
//   constant predicate, or only one branch       replaced by that branch
//   all branches equal, with equal arguments     replaced by the branch
//   output that is the same in all branches      replaced by the value from before the conditional
//   output without users                         removed
//   two small branches of scalars                both computed, and a select for each output
#include <algorithm>

#include "core/analysis/constants.h"
#include "core/analysis/side_effects.h"
#include "core/analysis/trip_count.h"
#include "core/analysis/users.h"
#include "core/ir/builder.h"
#include "core/passes/inlining.h"
#include "core/passes/pass.h"
#include "core/passes/rewrite.h"

namespace bp::passes {
namespace {

using ir::Instruction;
using ir::InstructionId;
using ir::Opcode;

constexpr int max_selected_instructions = 4;  // instructions of a branch that may be computed even if it is not taken

// Returns the branch that is taken, if it is known or makes no difference.
std::optional<std::size_t> only_branch(const Instruction &conditional) {
  auto calls = conditional.calls();
  auto arguments = conditional.operands().subspan(1);
  const bool is_equal = std::ranges::all_of(calls, [&](ir::ComputationId id) { return id == calls[0]; }) &&
                        std::ranges::all_of(arguments, [&](InstructionId id) { return id == arguments[0]; });
  if (is_equal) {
    return 0;
  }
  const Instruction which = conditional.operand(0);
  auto value = analysis::constant_integer(which);
  if (!value) {
    return std::nullopt;
  }
  if (which.shape().element_type() == ir::ElementType::Pred) {
    return *value != 0 ? 0 : 1;
  }
  const auto last = static_cast<std::int64_t>(calls.size()) - 1;
  return static_cast<std::size_t>(*value < 0 || *value > last ? last : *value);
}

class ConditionalSimplifier {
 public:
  explicit ConditionalSimplifier(ir::Module &module) : module_(module), users_(module), side_effects_(module) {}

  InstructionId run(const Instruction &conditional) {
    if (is_worth_selecting(conditional)) {
      return select(conditional);
    }
    return without_spare_outputs(conditional);
  }

 private:
  InstructionId call(const Instruction &conditional, std::size_t branch) {
    const InstructionId argument = conditional.operands()[1 + branch];
    return inline_body(module_, conditional, conditional.calls()[branch], {&argument, 1});
  }

  static bool are_tuples(const Instruction &conditional) {
    for (std::size_t b = 0; b < conditional.calls().size(); ++b) {
      if (conditional.called(b).root().opcode() != Opcode::Tuple) {
        return false;
      }
    }
    return conditional.shape().is_tuple();
  }

  // Returns the instruction outside the conditional that has the value that `value` has in a branch; no_instruction if
  // there is none.
  InstructionId outside(const Instruction &conditional, std::size_t branch, const Instruction &value) const {
    const Instruction argument = conditional.operand(1 + branch), parameter = conditional.called(branch).parameter(0);
    if (value == parameter) {
      return argument.id();
    }
    auto element = analysis::element_of(value, parameter);
    return element && argument.opcode() == Opcode::Tuple ? argument.operands()[*element] : ir::no_instruction;
  }

  // Returns the replacement of an output that is the same in all branches.
  InstructionId common_output(const Instruction &conditional, std::size_t output) {
    const Instruction value = conditional.called(0).root().operand(output);
    return value.opcode() == Opcode::Constant ? module_.clone_instruction(conditional.parent().id(), value, {}, {})
                                              : outside(conditional, 0, value);
  }

  bool has_common_output(const Instruction &conditional, std::size_t output) const {
    if (!are_tuples(conditional)) {
      return false;
    }
    const Instruction first = conditional.called(0).root().operand(output);
    for (std::size_t b = 0; b < conditional.calls().size(); ++b) {
      const Instruction value = conditional.called(b).root().operand(output);
      const bool are_constants = first.opcode() == Opcode::Constant && value.opcode() == Opcode::Constant;
      const InstructionId source = outside(conditional, b, value);
      if (are_constants ? !first.literal().identical(value.literal())
                        : source == ir::no_instruction || source != outside(conditional, 0, first)) {
        return false;
      }
    }
    return true;
  }

  bool is_small(const ir::Computation &branch) const {
    int count = 0;
    for (Instruction i : branch.instructions()) {
      const bool is_free = i.opcode() == Opcode::Parameter || i.opcode() == Opcode::GetTupleElement ||
                           i.opcode() == Opcode::Constant || i.opcode() == Opcode::Tuple;
      count += is_free ? 0 : 1;
      const bool is_scalar_op = is_free || (i.is(ir::Trait::Elementwise) && i.shape().is_scalar());
      if (!is_scalar_op || !i.control_predecessors().empty() || count > max_selected_instructions) {
        return false;
      }
    }
    return true;
  }

  bool is_worth_selecting(const Instruction &conditional) const {
    const ir::Shape &shape = conditional.shape();
    const bool are_scalars =
        shape.is_scalar() || (are_tuples(conditional) && std::ranges::all_of(shape.elements(), &ir::Shape::is_scalar));
    return are_scalars && conditional.operand(0).shape().element_type() == ir::ElementType::Pred &&
           conditional.calls().size() == 2 && is_small(conditional.called(0)) && is_small(conditional.called(1));
  }

  InstructionId select(const Instruction &conditional) {
    ir::Builder b(module_, conditional.parent().id());
    b.copy_origin_from(conditional);
    const InstructionId flag = conditional.operands()[0];
    const InstructionId on_true = call(conditional, 0), on_false = call(conditional, 1);
    if (!conditional.shape().is_tuple()) {
      return b.add(Opcode::Select, {flag, on_true, on_false});
    }
    std::vector<InstructionId> outputs;
    for (std::size_t i = 0; i < conditional.shape().elements().size(); ++i) {
      outputs.push_back(b.add(Opcode::Select, {flag, b.get_tuple_element(on_true, static_cast<std::int64_t>(i)),
                                               b.get_tuple_element(on_false, static_cast<std::int64_t>(i))}));
    }
    return b.tuple(outputs);
  }

  // Returns the outputs that depend on the branch taken and that have users.
  std::vector<std::size_t> needed_outputs(const Instruction &conditional) const {
    const std::size_t count = conditional.shape().elements().size();
    std::vector<bool> used(count, conditional.parent().root() == conditional);
    for (InstructionId id : users_.of(conditional.id())) {
      const Instruction user = module_.instruction(id);
      if (user.opcode() != Opcode::GetTupleElement) {
        used.assign(count, true);
        break;
      }
      used[static_cast<std::size_t>(user.tuple_index())] = true;
    }
    std::vector<std::size_t> result;
    for (std::size_t i = 0; i < count; ++i) {
      const bool has_other_value = is_plain(conditional.shape().elements()[i]);
      if ((used[i] || !has_other_value) && !has_common_output(conditional, i)) {
        result.push_back(i);
      }
    }
    return result;
  }

  InstructionId without_spare_outputs(const Instruction &conditional) {
    if (!are_tuples(conditional)) {
      return conditional.id();
    }
    const std::vector<std::size_t> used = needed_outputs(conditional);
    const std::size_t count = conditional.shape().elements().size();
    if (used.size() == count || count == 0) {
      return conditional.id();
    }
    std::vector<ir::ComputationId> branches;
    for (ir::ComputationId id : std::vector(conditional.calls().begin(), conditional.calls().end())) {
      branches.push_back(with_outputs(module_.computation(id), used));
      side_effects_.add(module_.computation(branches.back()));
    }
    const std::vector<InstructionId> operands(conditional.operands().begin(), conditional.operands().end());
    const InstructionId smaller = module_.clone_instruction(conditional.parent().id(), conditional, operands, branches);
    module_.set_shape(smaller, ir::Shape(module_.computation(branches[0]).root().shape()));
    return all_outputs(conditional, smaller, used);
  }

  ir::ComputationId with_outputs(const ir::Computation &branch, std::span<const std::size_t> used) {
    std::vector<InstructionId> outputs;
    for (std::size_t i : used) {
      outputs.push_back(branch.root().operands()[i]);
    }
    return copy_with_outputs(module_, branch, outputs);
  }

  // Returns a tuple with all elements of the old result. Outputs without users are zeros.
  InstructionId all_outputs(const Instruction &conditional, InstructionId smaller, std::span<const std::size_t> used) {
    ir::Builder b(module_, conditional.parent().id());
    b.copy_origin_from(conditional);
    std::vector<InstructionId> outputs;
    for (std::size_t i = 0, at = 0; i < conditional.shape().elements().size(); ++i) {
      if (at < used.size() && used[at] == i) {
        outputs.push_back(b.get_tuple_element(smaller, static_cast<std::int64_t>(at++)));
      } else if (has_common_output(conditional, i)) {
        outputs.push_back(common_output(conditional, i));
      } else {
        const ir::Shape shape = conditional.shape().elements()[i];
        outputs.push_back(b.broadcast(b.constant(shape.element_type(), 0), shape));
      }
    }
    return b.tuple(outputs);
  }

  ir::Module &module_;
  const analysis::Users users_;
  analysis::SideEffects side_effects_;
};

bool inline_only_branches(ir::Module &module, const PassContext &context) {
  GrowthBudget budget(module, context);
  return inline_bodies(module, budget, [&](const Instruction &conditional) -> std::optional<InlinedBody> {
    const auto branch = conditional.opcode() == Opcode::Conditional ? only_branch(conditional) : std::nullopt;
    return branch ? std::optional(InlinedBody{conditional.calls()[*branch], {conditional.operands()[1 + *branch]}})
                  : std::nullopt;
  });
}

}  // namespace

Result<bool> conditional_simplification(ir::Module &module, const PassContext &context) {
  const bool has_inlined = inline_only_branches(module, context);
  ConditionalSimplifier simplifier(module);
  BP_ASSIGN(const bool changed, rewrite_all(module, [&](Instruction instruction) -> Result<InstructionId> {
              return instruction.opcode() == Opcode::Conditional ? simplifier.run(instruction) : instruction.id();
            }));
  return has_inlined || changed;
}

}  // namespace bp::passes
