// reduce(reshape(op(x, y)))  ->  reduce(op(reshape(x), reshape(y))), also for scans: elementwise work is done in the
// shape in which it is combined, so that both are one loop and the values between them need no memory. Reductions that
// were split into parts have such operands. The work has no other users, so nothing is computed twice. Work on the
// result of a contraction is not changed, because it may be done on the sums before they are written.
//
// A first pass over the instructions, users first, finds those to be computed in another shape; a second one, operands
// first, computes them in it.
#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "core/analysis/call_graph.h"
#include "core/analysis/users.h"
#include "core/passes/array_builder.h"
#include "core/passes/fusion/kernel.h"
#include "core/passes/pass.h"
#include "core/passes/rewrite.h"

namespace bp::passes {
namespace {

using ir::Instruction;
using ir::InstructionId;
using ir::Opcode;
using ir::Shape;
using Sizes = std::vector<std::int64_t>;

bool is_reshape(const Instruction &instruction) {
  return (instruction.opcode() == Opcode::Reshape || instruction.opcode() == Opcode::Bitcast) &&
         is_plain(instruction) && instruction.operand(0).shape().element_type() == instruction.shape().element_type();
}

bool combines(const Instruction &instruction) {
  return instruction.opcode() == Opcode::Reduce || instruction.opcode() == Opcode::ReduceWindow;
}

// Whether the op only moves elements, so that a loop over its result can read its operand at other indices.
bool moves_elements(Opcode opcode) {
  switch (opcode) {
    case Opcode::Broadcast:
    case Opcode::Concatenate:
    case Opcode::DynamicSlice:
    case Opcode::Gather:
    case Opcode::Iota:
    case Opcode::Pad:
    case Opcode::Reverse:
    case Opcode::Slice:
    case Opcode::Transpose: return true;
    default: return false;
  }
}

class Hoister {
 public:
  Hoister(ir::Module &module, const analysis::Users &users, ir::ComputationId computation)
      : module_(module), users_(users), computation_(computation) {}

  Result<bool> run() {
    note_contractions();
    find_reshaped();
    if (!has_work_) {
      return false;
    }
    return Rewriter(module_).rewrite(
        computation_, [this](Instruction instruction) -> Result<InstructionId> { return visit(instruction); });
  }

 private:
  // Records which instructions are computed from a contraction by elementwise ops and reshapes.
  void note_contractions() {
    for (Instruction i : module_.computation(computation_).instructions()) {
      const bool is_contraction = i.opcode() == Opcode::Dot || i.opcode() == Opcode::Convolution;
      if (is_contraction || ((is_elementwise(i) || is_reshape(i)) && std::ranges::any_of(i.operands(), [&](auto id) {
                               return of_contractions_.contains(id);
                             }))) {
        of_contractions_.insert(i.id());
      }
    }
  }

  void find_reshaped() {
    const ir::Computation computation = module_.computation(computation_);
    const std::vector<bool> is_pinned = control_ordered(computation);
    const auto order = computation.instruction_ids();
    for (std::size_t n = order.size(); n-- > 0;) {
      const Instruction i = module_.instruction(order[n]);
      const bool stays = (index(i.id()) < is_pinned.size() && is_pinned[index(i.id())]) || i == computation.root() ||
                         !users_.is_used(i.id()) || of_contractions_.contains(i.id());
      if (stays || !is_plain(i) || i.shape().is_scalar() || i.shape().element_count() == 0) {
        continue;
      }
      const std::span<const InstructionId> users = users_.of(i.id());
      if (is_reshape(i) && std::ranges::all_of(users, [&](auto id) { return combines(module_.instruction(id)); })) {
        wanted_.emplace(i.id(), Sizes(i.shape().sizes().begin(), i.shape().sizes().end()));
        has_work_ |= i.opcode() == Opcode::Bitcast && moves_elements(i.operand(0).opcode());
      } else if (const Sizes *sizes = wanted_by(users); sizes && (is_elementwise(i) || is_reshape(i))) {
        wanted_.emplace(i.id(), Sizes(*sizes));
        has_work_ |= is_elementwise(i);
      }
    }
  }

  // Returns the sizes in which all of these do their work; nullptr if there are none, or if they differ.
  const Sizes *wanted_by(std::span<const InstructionId> users) const {
    const Sizes *sizes = nullptr;
    for (InstructionId user : users) {
      const auto found = wanted_.find(user);
      if (found == wanted_.end() || (sizes != nullptr && found->second != *sizes)) {
        return nullptr;
      }
      sizes = &found->second;
    }
    return sizes;
  }

  InstructionId visit(const Instruction &instruction) {
    const auto found = wanted_.find(instruction.id());
    if (found == wanted_.end()) {
      return instruction.id();
    }
    const Sizes &sizes = found->second;
    ArrayBuilder b(module_, instruction);
    if (is_reshape(instruction)) {
      return bitcast_to(b, instruction.operands()[0], sizes);
    }
    std::vector<InstructionId> operands(instruction.operands().begin(), instruction.operands().end());
    for (InstructionId &operand : operands) {
      operand = b.shape(operand).is_scalar() ? operand : bitcast_to(b, operand, sizes);
    }
    const std::vector<ir::ComputationId> calls(instruction.calls().begin(), instruction.calls().end());
    const ir::ElementType type = instruction.shape().element_type();
    const InstructionId clone = module_.clone_instruction(computation_, instruction, operands, calls);
    module_.set_shape(clone, Shape::array(type, sizes));
    return clone;
  }

  // Returns the same elements in these sizes. Between kernels, that only renames bytes; a loop that reads at other
  // indices can include a reshape.
  InstructionId bitcast_to(ArrayBuilder &b, InstructionId id, const Sizes &sizes) {
    if (std::ranges::equal(b.shape(id).sizes(), sizes)) {
      return id;
    }
    const auto [found, is_new] = reshaped_.emplace(std::pair(id, sizes), id);
    if (is_new) {
      const Instruction original = module_.instruction(id);
      const auto broadcast =
          original.opcode() == Opcode::Broadcast ? reshaped_broadcast(b, original, sizes) : std::nullopt;
      found->second = broadcast                           ? *broadcast
                      : is_reshape(original)              ? bitcast_to(b, original.operands()[0], sizes)
                      : moves_elements(original.opcode()) ? b.ir::Builder::reshape(id, sizes)
                                                          : b.bitcast_to(id, Shape::array(b.type(id), sizes));
    }
    return found->second;
  }

  // Returns the broadcast in these sizes; nothing unless each group of dimensions is either repeated or comes from the
  // operand, in order.
  std::optional<InstructionId> reshaped_broadcast(ArrayBuilder &b, const Instruction &broadcast, const Sizes &sizes) {
    const Shape shape = broadcast.shape();
    const Sizes targets(broadcast.dimensions().begin(), broadcast.dimensions().end());
    Sizes new_targets, operand_sizes;
    for (const AlignedDimensions &group : aligned_dimensions(shape.sizes(), sizes)) {
      const auto is_inside = [&](std::int64_t d) {
        const auto at = static_cast<std::size_t>(d);
        return at >= group.from_begin && at < group.from_end;
      };
      const auto count = static_cast<std::size_t>(std::ranges::count_if(targets, is_inside));
      if (count != 0 && count != group.from_end - group.from_begin) {
        return std::nullopt;
      }
      for (std::size_t d = group.to_begin; count != 0 && d < group.to_end; ++d) {
        new_targets.push_back(static_cast<std::int64_t>(d));
        operand_sizes.push_back(sizes[d]);
      }
    }
    if (!std::ranges::is_sorted(targets) ||
        ir::product(operand_sizes) != broadcast.operand(0).shape().element_count()) {
      return std::nullopt;
    }
    const InstructionId operand =
        targets.empty() ? broadcast.operands()[0] : bitcast_to(b, broadcast.operands()[0], operand_sizes);
    return b.broadcast(operand, Shape::array(shape.element_type(), sizes), new_targets);
  }

  ir::Module &module_;
  const analysis::Users &users_;
  ir::ComputationId computation_;
  std::unordered_set<InstructionId> of_contractions_;
  std::unordered_map<InstructionId, Sizes> wanted_;  // sizes in which an instruction is to be computed
  bool has_work_ = false;
  std::map<std::pair<InstructionId, Sizes>, InstructionId> reshaped_;
};

}  // namespace

Result<bool> reshape_hoisting(ir::Module &module, const PassContext &) {
  const analysis::CallGraph graph(module);
  const analysis::Users users(module);
  bool changed = false;
  for (ir::ComputationId id : graph.callees_first()) {
    if (graph.context(id) == analysis::CallContext::Control) {
      BP_ASSIGN(const bool one, Hoister(module, users, id).run());
      changed = changed || one;
    }
  }
  if (changed) {
    tidy(module);
  }
  return changed;
}

}  // namespace bp::passes
