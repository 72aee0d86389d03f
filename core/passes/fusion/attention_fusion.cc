// Fuses attention: the dot of queries and keys, work on the rows of these scores with a reduction (softmax, say), and
// the dot that multiplies the rows by values. A device computes a few rows of scores at a time, so that they, the
// largest arrays by far, need no memory. The work may read other arrays of any size, such as masks and biases. The
// fusion has one result, and nothing else uses what is in it. Linear, but for the sorting of each fusion.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "core/analysis/call_graph.h"
#include "core/analysis/users.h"
#include "core/passes/fusion/fusion_builder.h"
#include "core/passes/fusion/kernel.h"
#include "core/passes/pass.h"
#include "core/passes/rewrite.h"

namespace bp::passes {
namespace {

using ir::AttributeKey;
using ir::Instruction;
using ir::InstructionId;
using ir::Opcode;
using ir::Shape;

class AttentionFuser {
 public:
  AttentionFuser(const ir::Module &module, const analysis::Users &users, const PassContext &context,
                 ir::Computation computation)
      : module_(module), users_(users), context_(context), root_(computation.root().id()) {
    is_pinned_ = control_ordered(computation);
    for (InstructionId id : computation.instruction_ids()) {
      position_[id] = position_.size();
    }
  }

  void run(ir::Computation computation, std::vector<FusionPlan> &plans) {
    for (Instruction output : computation.instructions()) {
      if (output.opcode() != Opcode::Dot || !has_plain_shape(output) || is_pinned(output.id())) {
        continue;
      }
      for (std::size_t i = 0; i < 2; ++i) {
        std::vector<InstructionId> members = work_before(output, i);
        if (members.empty()) {
          continue;
        }
        explain(members, output);
        taken_.insert(members.begin(), members.end());
        taken_.insert(output.id());
        members.push_back(output.id());
        plans.push_back({std::move(members), {output.id()}, ir::FusionKind::Custom});
        break;
      }
    }
  }

 private:
  bool is_pinned(InstructionId id) const { return index(id) < is_pinned_.size() && is_pinned_[index(id)]; }

  // Whether a dot adds up along the rows of its operand i, which are contiguous.
  static bool sums_along_rows(const Instruction &dot, std::size_t i) {
    const auto contracted = dot.numbers(i == 0 ? AttributeKey::LhsContractingDims : AttributeKey::RhsContractingDims);
    const auto rank = static_cast<std::int64_t>(dot.operand(i).shape().rank());
    return rank > 1 && contracted.size() == 1 && contracted[0] == rank - 1;
  }

  // Returns the instructions that compute operand i of a dot from the result of another dot, in program order, that dot
  // included; empty if these are no rows with a reduction, or more than the device takes.
  std::vector<InstructionId> work_before(const Instruction &output, std::size_t i) const {
    if (!sums_along_rows(output, i)) {
      return {};
    }
    const Instruction weights = output.operand(i);
    std::vector<InstructionId> members;
    std::unordered_set<InstructionId> inside = {output.id()}, seen = {weights.id()}, operands;
    bool has_scores = false, has_reduction = false;
    const auto earlier = [&](InstructionId a, InstructionId b) { return position_.at(a) < position_.at(b); };
    std::vector<InstructionId> next = {weights.id()};  // a heap, latest in the program on top, so that users come first
    while (!next.empty()) {
      std::ranges::pop_heap(next, earlier);
      const Instruction instruction = module_.instruction(next.back());
      next.pop_back();
      const bool is_dot = instruction.opcode() == Opcode::Dot;
      if ((is_dot && has_scores) || !may_be_inside(instruction, weights.shape(), inside)) {
        if (const auto read = read_for(instruction)) {
          operands.insert(*read);
        }
        continue;
      }
      members.push_back(instruction.id());
      inside.insert(instruction.id());
      has_scores = has_scores || is_dot;
      has_reduction = has_reduction || instruction.opcode() == Opcode::Reduce;
      for (InstructionId operand : instruction.operands()) {
        if (is_dot) {
          operands.insert(operand);
        } else if (seen.insert(operand).second) {
          next.push_back(operand);
          std::ranges::push_heap(next, earlier);
        }
      }
      if (members.size() > context_.fusion.max_instructions || operands.size() + 2 > context_.fusion.max_values) {
        return {};
      }
    }
    if (!has_scores || !has_reduction) {
      return {};
    }
    std::ranges::sort(members, earlier);
    return members;
  }

  // Whether an instruction computes arrays of the size of the scores, or one element for each of their rows, for
  // instructions inside alone.
  bool may_be_inside(const Instruction &instruction, const Shape &scores,
                     const std::unordered_set<InstructionId> &inside) const {
    if (!has_plain_shape(instruction) || is_pinned(instruction.id()) || taken_.contains(instruction.id()) ||
        instruction.id() == root_ ||
        !std::ranges::all_of(users_.of(instruction.id()), [&](InstructionId user) { return inside.contains(user); })) {
      return false;
    }
    const Shape &shape = instruction.shape();
    const Opcode opcode = instruction.opcode();
    const bool is_work = is_elementwise(instruction) || opcode == Opcode::Broadcast;
    if (ir::same_sizes(shape, scores)) {
      return is_work || opcode == Opcode::Dot;
    }
    const bool is_per_row = shape.element_count() * scores.sizes().back() == scores.element_count();
    return is_per_row && (is_work || opcode == Opcode::Reshape || reduces_rows(instruction, scores));
  }

  static bool reduces_rows(const Instruction &instruction, const Shape &scores) {
    return instruction.opcode() == Opcode::Reduce && instruction.operand_count() == 2 &&
           ir::same_sizes(instruction.operand(0).shape(), scores) && instruction.dimensions().size() == 1 &&
           instruction.dimensions()[0] + 1 == static_cast<std::int64_t>(scores.rank());
  }

  void explain(const std::vector<InstructionId> &members, const Instruction &output) const {
    for (InstructionId member : members) {
      if (context_.explain_fusion && module_.instruction(member).opcode() == Opcode::Dot) {
        context_.explain_fusion({std::string(module_.instruction(member).name()), std::string(output.name()), ""});
      }
    }
  }

  const ir::Module &module_;
  const analysis::Users &users_;
  const PassContext &context_;
  InstructionId root_;
  std::vector<bool> is_pinned_;
  std::unordered_map<InstructionId, std::size_t> position_;
  std::unordered_set<InstructionId> taken_;
};

}  // namespace

Result<bool> attention_fusion(ir::Module &module, const PassContext &context) {
  if (!context.fusion.attention) {
    return false;
  }
  const analysis::CallGraph graph(module);
  const analysis::Users users(module);
  std::vector<FusionPlan> plans;
  for (ir::ComputationId id : graph.callees_first()) {
    if (graph.context(id) == analysis::CallContext::Control) {
      ir::Computation computation = module.computation(id);
      AttentionFuser(module, users, context, computation).run(computation, plans);
    }
  }
  return build_fusions(module, plans);
}

}  // namespace bp::passes
