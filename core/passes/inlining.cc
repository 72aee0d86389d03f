#include "core/passes/inlining.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "core/passes/rewrite.h"

namespace bp::passes {
namespace {

using ir::ComputationId;
using ir::Instruction;
using ir::InstructionId;

class Inliner {
 public:
  using Choose = std::function<std::optional<InlinedBody>(const Instruction &)>;

  Inliner(ir::Module &module, GrowthBudget &budget, const Choose &choose)
      : module_(module), budget_(budget), choose_(choose), is_reached_(module.computation_id_limit()) {}

  bool run() {
    const auto callees_first = module_.computation_ids();
    const std::vector<ComputationId> ids(callees_first.rbegin(), callees_first.rend());
    reach(module_.entry().id());
    for (ComputationId id : ids) {
      if (is_reached_[index(id)]) {
        inline_into(id);
      }
    }
    if (changed_) {
      tidy(module_);
    }
    return changed_;
  }

 private:
  void reach(ComputationId id) { is_reached_[index(id)] = true; }

  void inline_into(ComputationId computation) {
    const auto old_order = module_.computation(computation).instruction_ids();
    std::vector<InstructionId> new_order, waiting(old_order.rbegin(), old_order.rend());
    pin_ordered(waiting);
    bool is_new = false;
    while (!waiting.empty()) {
      const InstructionId id = waiting.back();
      waiting.pop_back();
      update_operands(id);
      const std::optional<InlinedBody> chosen = pinned_.contains(id) ? std::nullopt : choose_(module_.instruction(id));
      if (!chosen || !budget_.try_spend(module_.instruction(id), module_.computation(chosen->body))) {
        new_order.push_back(id);
        std::ranges::for_each(module_.instruction(id).calls(), [&](ComputationId callee) { reach(callee); });
        continue;
      }
      const std::size_t first_added = module_.computation(computation).instruction_count();
      const InstructionId result = inline_body(module_, module_.instruction(id), chosen->body, chosen->arguments);
      const auto added = module_.computation(computation).instruction_ids().subspan(first_added);
      replacements_.emplace(id, result);
      pin_ordered(added);
      waiting.insert(waiting.end(), added.rbegin(), added.rend());
      is_new = true;
    }
    if (is_new) {
      module_.set_root(computation, current(module_.computation(computation).root().id()));
      module_.set_instruction_order(computation, std::move(new_order));
      changed_ = true;
    }
  }

  // Pins instructions ordered by control predecessors, which keep their place in the order.
  void pin_ordered(std::span<const InstructionId> ids) {
    for (InstructionId id : ids) {
      const auto predecessors = module_.instruction(id).control_predecessors();
      if (!predecessors.empty()) {
        pinned_.insert(id);
        pinned_.insert(predecessors.begin(), predecessors.end());
      }
    }
  }

  void update_operands(InstructionId id) {
    for (std::size_t i = 0; i < module_.instruction(id).operand_count(); ++i) {
      const InstructionId operand = module_.instruction(id).operands()[i];
      if (const InstructionId now = current(operand); now != operand) {
        module_.set_operand(id, i, now);
      }
    }
  }

  // Returns the last replacement of an instruction, because replacements may have been replaced in turn.
  InstructionId current(InstructionId id) {
    InstructionId last = id;
    for (auto next = replacements_.find(last); next != replacements_.end(); next = replacements_.find(last)) {
      last = next->second;
    }
    while (id != last) {
      id = std::exchange(replacements_.at(id), last);
    }
    return last;
  }

  ir::Module &module_;
  GrowthBudget &budget_;
  const Choose &choose_;
  std::vector<bool> is_reached_;  // by computation id
  std::unordered_set<InstructionId> pinned_;
  std::unordered_map<InstructionId, InstructionId> replacements_;
  bool changed_ = false;
};

}  // namespace

GrowthBudget::GrowthBudget(const ir::Module &module, const PassContext &context)
    : context_(context), count_(module.instruction_count()) {}

bool GrowthBudget::try_spend(const Instruction &caller, const ir::Computation &body, std::size_t copies) {
  const bool is_first = !copied_.contains(body.id());
  const std::size_t added = (copies - (is_first && copies > 0 ? 1 : 0)) * body.instruction_count();
  if (added > 0 && count_ + added > context_.max_inlined_instructions) {
    report_refusal(caller, static_cast<double>(count_ + added));
    return false;
  }
  copied_.insert(body.id());
  count_ += added;
  return true;
}

void GrowthBudget::report_refusal(const Instruction &caller, double instructions) {
  if (!has_refused_ && context_.explain_growth) {
    context_.explain_growth(
        {std::string(caller.name()), fmt::format("with copies of the called computations the module has {:.15g} "
                                                 "instructions, expected at most {}",
                                                 instructions, context_.max_inlined_instructions)});
  }
  has_refused_ = true;
}

bool inline_bodies(ir::Module &module, GrowthBudget &budget,
                   const std::function<std::optional<InlinedBody>(const Instruction &)> &choose) {
  return Inliner(module, budget, choose).run();
}

InstructionId add_call(ir::Builder &b, ComputationId callee, std::span<const InstructionId> arguments) {
  const auto no_attributes = [](ir::Module &, InstructionId) {};
  return b.try_add(ir::Opcode::Call, arguments, no_attributes, std::span(&callee, 1)).value();
}

bool inline_calls_of(ir::Module &module, const PassContext &context, const std::unordered_set<ComputationId> &callees) {
  if (callees.empty()) {
    return false;
  }
  GrowthBudget budget(module, context);
  return inline_bodies(module, budget, [&](const Instruction &call) -> std::optional<InlinedBody> {
    const bool is_plain_call = call.opcode() == ir::Opcode::Call && call.number(ir::AttributeKey::IsComposite) == 0;
    if (!is_plain_call || !callees.contains(call.calls()[0])) {
      return std::nullopt;
    }
    return InlinedBody{call.calls()[0], {call.operands().begin(), call.operands().end()}};
  });
}

}  // namespace bp::passes
