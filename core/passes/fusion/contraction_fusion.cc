// Fuses a dot or convolution with the elementwise work on its result (bias, activation, residual), which is done while
// the sums are in registers. The fusion ends with an instruction that all of its work leads to: all users of the
// instructions before it are in the fusion.
//
// The computation of the operands is included, too, if the device supports it, it is cheap and it has no other users:
// an element is then recomputed wherever it is multiplied, so the device says how often that may be.
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

using ir::Instruction;
using ir::InstructionId;
using ir::Opcode;

class ContractionFuser {
 public:
  ContractionFuser(const ir::Module &module, const analysis::Users &users, const PassContext &context,
                   ir::Computation computation)
      : module_(module), users_(users), context_(context), root_(computation.root().id()) {
    is_pinned_ = control_ordered(computation);
    for (InstructionId id : computation.instruction_ids()) {
      position_[id] = position_.size();
    }
  }

  void run(ir::Computation computation, std::vector<FusionPlan> &plans) {
    for (Instruction instruction : computation.instructions()) {
      const bool contracts = instruction.opcode() == Opcode::Dot || instruction.opcode() == Opcode::Convolution;
      if (!contracts || !has_plain_shape(instruction) || is_pinned(instruction.id())) {
        continue;
      }
      std::vector<InstructionId> members = work_on(instruction);
      add_work_before(instruction, members);
      if (members.size() > 1) {
        taken_.insert(members.begin(), members.end());
        const InstructionId result = members.back();
        plans.push_back({std::move(members), {result}, ir::FusionKind::Output});
      }
    }
  }

 private:
  bool is_pinned(InstructionId id) const { return index(id) < is_pinned_.size() && is_pinned_[index(id)]; }

  bool may_follow(const Instruction &contraction, const Instruction &user) const {
    return user.is(ir::Trait::Elementwise) && user.opcode() != Opcode::Copy && has_plain_shape(user) &&
           ir::same_sizes(user.shape(), contraction.shape()) && !is_pinned(user.id()) && !taken_.contains(user.id());
  }

  // Returns the contraction and the work that can be done on its sums, in program order, ending with the result.
  std::vector<InstructionId> work_on(const Instruction &contraction) const {
    std::vector<InstructionId> members;
    std::vector<std::size_t> ends;  // numbers of first members of which only the last has users outside
    std::unordered_set<InstructionId> seen = {contraction.id()}, operands;
    std::unordered_map<InstructionId, std::size_t> open;  // by member: number of users that are not members
    std::size_t all_open = 0;
    const auto later = [&](InstructionId a, InstructionId b) { return position_.at(a) > position_.at(b); };
    std::vector<InstructionId> next = {contraction.id()};  // a heap, earliest in the program on top
    while (!next.empty() && members.size() < context_.fusion.max_instructions) {
      std::ranges::pop_heap(next, later);
      const InstructionId id = next.back();
      next.pop_back();
      const Instruction instruction = module_.instruction(id);
      if (id != contraction.id() && !may_follow(contraction, instruction)) {
        explain(contraction, instruction);
        continue;
      }
      std::unordered_set<InstructionId> closed;
      for (InstructionId operand : instruction.operands()) {
        const auto inside = open.find(operand);
        if (inside == open.end()) {
          if (const auto read = read_for(module_.instruction(operand))) {
            operands.insert(*read);
          }
        } else if (closed.insert(operand).second) {
          --inside->second;
          --all_open;
        }
      }
      if (operands.size() + 1 > context_.fusion.max_values) {
        break;
      }
      members.push_back(id);
      // The root of the computation is used by its caller.
      const std::size_t users = users_.of(id).size() + (id == root_ ? 1 : 0);
      open[id] = users;
      all_open += users;
      if (all_open == users) {
        ends.push_back(members.size());
      }
      for (InstructionId user : users_.of(id)) {
        if (seen.insert(user).second) {
          next.push_back(user);
          std::ranges::push_heap(next, later);
        }
      }
    }
    const std::size_t before_last = context_.fusion.ends_before_last;
    members.resize(before_last < ends.size() ? ends[ends.size() - 1 - before_last] : 0);
    return members;
  }

  void add_work_before(const Instruction &contraction, std::vector<InstructionId> &members) const {
    std::unordered_set<InstructionId> inside(members.begin(), members.end());
    inside.insert(contraction.id());
    const std::vector<InstructionId> after = members.empty() ? std::vector{contraction.id()} : members;
    std::vector<InstructionId> before;
    for (std::size_t i = 0; i < 2; ++i) {
      if (uses_of_operand(contraction, i) > context_.fusion.max_prologue_uses) {
        continue;
      }
      const std::vector<InstructionId> work = work_for(contraction.operands()[i], inside);
      inside.insert(work.begin(), work.end());
      before.insert(before.end(), work.begin(), work.end());
    }
    if (before.empty()) {
      return;
    }
    std::ranges::sort(before, {}, [&](InstructionId id) { return position_.at(id); });
    before.insert(before.end(), after.begin(), after.end());
    std::unordered_set<InstructionId> operands;
    for (InstructionId member : before) {
      for (InstructionId operand : module_.instruction(member).operands()) {
        const auto read = read_for(module_.instruction(operand));
        if (read && !inside.contains(*read)) {
          operands.insert(*read);
        }
      }
    }
    if (before.size() <= context_.fusion.max_instructions && operands.size() + 1 <= context_.fusion.max_values) {
      members = std::move(before);
    }
  }

  // Returns the number of products of each element of operand i.
  static std::int64_t uses_of_operand(const Instruction &contraction, std::size_t i) {
    const ir::Shape &other = contraction.operand(1 - i).shape();
    if (contraction.opcode() == Opcode::Convolution) {
      return contraction.shape().element_count();  // of most elements
    }
    std::int64_t uses = other.element_count();
    for (const ir::AttributeKey key :
         {i == 0 ? ir::AttributeKey::RhsBatchDims : ir::AttributeKey::LhsBatchDims,
          i == 0 ? ir::AttributeKey::RhsContractingDims : ir::AttributeKey::LhsContractingDims}) {
      for (const std::int64_t dimension : contraction.numbers(key)) {
        uses /= std::max<std::int64_t>(other.size(static_cast<std::size_t>(dimension)), 1);
      }
    }
    return uses;
  }

  // Returns the computation of an operand: instructions that are not in the fusion yet, but whose users all are. Empty
  // if it reads more bytes than the operand has (apart from small broadcast vectors).
  std::vector<InstructionId> work_for(InstructionId operand, std::unordered_set<InstructionId> inside) const {
    const Instruction whole = module_.instruction(operand);
    std::vector<InstructionId> work;
    std::unordered_set<InstructionId> seen = {operand};
    std::int64_t bytes = 0;
    const auto earlier = [&](InstructionId a, InstructionId b) { return position_.at(a) < position_.at(b); };
    std::vector<InstructionId> next = {operand};  // a heap, latest in the program on top, so that users come first
    while (!next.empty() && work.size() < context_.fusion.max_instructions) {
      std::ranges::pop_heap(next, earlier);
      const InstructionId id = next.back();
      next.pop_back();
      const Instruction instruction = module_.instruction(id);
      if (inside.contains(id)) {
        continue;
      }
      if (!may_precede(whole, instruction, inside)) {
        const auto read = read_for(instruction);
        const bool is_new = read && (*read == id || seen.insert(*read).second);
        bytes += is_new ? module_.instruction(*read).shape().byte_size() : 0;
        continue;
      }
      work.push_back(id);
      inside.insert(id);
      for (InstructionId from : instruction.operands()) {
        if (seen.insert(from).second) {
          next.push_back(from);
          std::ranges::push_heap(next, earlier);
        }
      }
    }
    const std::int64_t own = whole.shape().byte_size();
    return next.empty() && bytes <= own + own / 8 ? work : std::vector<InstructionId>();
  }

  bool may_precede(const Instruction &operand, const Instruction &instruction,
                   const std::unordered_set<InstructionId> &inside) const {
    return is_cheap(instruction.opcode()) && has_plain_shape(instruction) &&
           ir::same_sizes(instruction.shape(), operand.shape()) &&
           !ir::is_complex(instruction.shape().element_type()) && !is_pinned(instruction.id()) &&
           !taken_.contains(instruction.id()) && instruction.id() != root_ &&
           std::ranges::all_of(users_.of(instruction.id()), [&](InstructionId user) { return inside.contains(user); });
  }

  void explain(const Instruction &contraction, const Instruction &user) const {
    if (context_.explain_fusion) {
      context_.explain_fusion({std::string(contraction.name()), std::string(user.name()),
                               "it is not elementwise work on the result of a contraction"});
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

Result<bool> contraction_fusion(ir::Module &module, const PassContext &context) {
  if (!context.fusion.contractions) {
    return false;
  }
  const analysis::CallGraph graph(module);
  const analysis::Users users(module);
  std::vector<FusionPlan> plans;
  for (ir::ComputationId id : graph.callees_first()) {
    if (graph.context(id) == analysis::CallContext::Control) {
      ir::Computation computation = module.computation(id);
      ContractionFuser(module, users, context, computation).run(computation, plans);
    }
  }
  return build_fusions(module, plans);
}

}  // namespace bp::passes
