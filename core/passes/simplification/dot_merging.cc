// dot(x, y), dot(x, z)  ->  slices of dot(x, concatenate(y, z)): each sum is unchanged, x is read once, and one kernel
// starts instead of two. The other operands are concatenated along a dimension that the dot keeps, which costs nothing
// if they are constants, which are then folded. Dots are merged if this moves no more bytes than it saves, with the
// start of a kernel counted as FusionLimits::small_kernel_bytes.
//
// A dot joins earlier dots only if all its operands are computed before these, so that only the dot itself has to move.
// One pass.
#include <algorithm>
#include <map>
#include <memory>
#include <unordered_map>

#include "core/ir/origin.h"
#include "core/passes/array_builder.h"
#include "core/passes/pass.h"
#include "core/passes/rewrite.h"

namespace bp::passes {
namespace {

using ir::AttributeKey;
using ir::Instruction;
using ir::InstructionId;
using ir::Opcode;
using ir::Shape;

constexpr std::size_t no_dimension = static_cast<std::size_t>(-1);

// Dots that share an operand and have the same attributes.
struct Group {
  std::vector<InstructionId> dots;
  std::size_t side = 0;           // index of the operand that differs
  std::size_t along = 0;          // dimension along which it is concatenated
  std::int64_t result_along = 0;  // the same dimension in the result
};

std::size_t kept_dimension(const Instruction &dot, std::size_t side) {
  auto batch = dot.numbers(side == 0 ? AttributeKey::LhsBatchDims : AttributeKey::RhsBatchDims);
  auto contracting = dot.numbers(side == 0 ? AttributeKey::LhsContractingDims : AttributeKey::RhsContractingDims);
  for (std::size_t d = 0; d < dot.operand(side).shape().rank(); ++d) {
    const auto dimension = static_cast<std::int64_t>(d);
    if (std::ranges::find(batch, dimension) == batch.end() &&
        std::ranges::find(contracting, dimension) == contracting.end()) {
      return d;
    }
  }
  return no_dimension;
}

// Returns the index of the first kept dimension in the result, where it comes after the batch dimensions and, for rhs,
// after the kept dimensions of lhs.
std::int64_t place_in_result(const Instruction &dot, std::size_t side) {
  const std::size_t batch = dot.numbers(AttributeKey::LhsBatchDims).size();
  return static_cast<std::int64_t>(
      side == 0 ? batch : dot.operand(0).shape().rank() - dot.numbers(AttributeKey::LhsContractingDims).size());
}

// Whether two dots differ only in one operand, and these operands only in their size along one dimension. What the
// program marks stays apart from the rest.
bool are_mergeable(const Instruction &a, const Instruction &b, std::size_t side, std::size_t along) {
  const Shape &x = a.operand(side).shape(), &y = b.operand(side).shape();
  if (x.element_type() != y.element_type() || x.rank() != y.rank() ||
      a.shape().element_type() != b.shape().element_type() || ir::cluster_mark(a) != ir::cluster_mark(b)) {
    return false;
  }
  for (std::size_t d = 0; d < x.rank(); ++d) {
    if (d != along && x.size(d) != y.size(d)) {
      return false;
    }
  }
  return std::ranges::all_of(ir::info(Opcode::Dot).attributes, [&](const ir::AttributeUse &use) {
    return std::ranges::equal(a.numbers(use.key), b.numbers(use.key));
  });
}

class Merger {
 public:
  Merger(ir::Module &module, const PassContext &context) : module_(module), context_(context) {}

  Result<bool> run() {
    bool changed = false;
    const std::vector<bool> fused = fused_computations(module_);
    for (std::size_t i = 0, count = module_.computation_ids().size(); i < count; ++i) {
      const ir::ComputationId id = module_.computation_ids()[i];
      find_groups(id);
      if (!fused[index(id)] && !groups_.empty()) {
        BP_ASSIGN(bool one, merge(id));
        changed = changed || one;
      }
    }
    if (changed) {
      tidy(module_);
    }
    return changed;
  }

 private:
  void find_groups(ir::ComputationId computation) {
    groups_.clear();
    // Merging adds instructions, so the table grows; entries of other computations are not used.
    position_.resize(module_.instruction_id_limit());
    std::map<std::pair<InstructionId, std::size_t>, std::vector<Group>> candidates;
    const std::vector<bool> pinned = control_ordered(module_.computation(computation));
    std::uint32_t at = 0;
    for (Instruction i : module_.computation(computation).instructions()) {
      position_[index(i.id())] = at++;
      const bool is_pinned = index(i.id()) < pinned.size() && pinned[index(i.id())];
      if (i.opcode() != Opcode::Dot || !is_plain(i) || is_pinned) {
        continue;
      }
      for (std::size_t side : {1, 0}) {
        const std::size_t along = kept_dimension(i, side);
        if (along != no_dimension && join(candidates[{i.operands()[1 - side], side}], i, side, along)) {
          break;
        }
      }
    }
    for (auto &[key, groups] : candidates) {
      for (Group &group : groups) {
        if (group.dots.size() > 1 &&
            std::ranges::none_of(group.dots, [&](InstructionId id) { return groups_.contains(id); })) {
          auto shared = std::make_shared<const Group>(std::move(group));
          for (InstructionId id : shared->dots) {
            groups_[id] = shared;
          }
        }
      }
    }
  }

  // Returns whether the dot was added to a group.
  bool join(std::vector<Group> &groups, const Instruction &dot, std::size_t side, std::size_t along) const {
    constexpr std::size_t max_visited = 8;
    for (std::size_t g = groups.size() - std::min(groups.size(), max_visited); g < groups.size(); ++g) {
      Group &group = groups[g];
      const Instruction first = module_.instruction(group.dots[0]);
      if (group.along == along && are_mergeable(first, dot, side, along) &&
          position_[index(dot.operands()[side])] < position_[index(first.id())] && pays(group, dot)) {
        group.dots.push_back(dot.id());
        return true;
      }
    }
    groups.push_back({{dot.id()}, side, along, place_in_result(dot, side)});
    return false;
  }

  bool pays(const Group &group, const Instruction &next) const {
    const Instruction first = module_.instruction(group.dots[0]);
    const auto cost = [&](const Instruction &dot) {
      const Instruction other = dot.operand(group.side);
      return dot.shape().byte_size() + (other.opcode() == Opcode::Constant ? 0 : other.shape().byte_size());
    };
    const std::int64_t saved = first.operand(1 - group.side).shape().byte_size() + context_.fusion.small_kernel_bytes;
    const std::int64_t first_cost = group.dots.size() == 1 ? cost(first) : 0;
    return first_cost + cost(next) <= saved;
  }

  Result<bool> merge(ir::ComputationId computation) {
    Rewriter rewriter(module_);
    std::unordered_map<const Group *, InstructionId> merged;
    return rewriter.rewrite(computation, [&](Instruction dot) -> Result<InstructionId> {
      auto found = groups_.find(dot.id());
      if (found == groups_.end()) {
        return dot.id();
      }
      const Group &group = *found->second;
      ArrayBuilder b(module_, dot);
      if (!merged.contains(&group)) {
        merged[&group] = make_merged(group, rewriter, b);
      }
      std::int64_t begin = 0;
      for (std::size_t i = 0; group.dots[i] != dot.id(); ++i) {
        begin += width(group, group.dots[i]);
      }
      return b.slice(merged[&group], static_cast<std::size_t>(group.result_along), begin,
                     begin + width(group, dot.id()));
    });
  }

  std::int64_t width(const Group &group, InstructionId dot) const {
    return module_.instruction(dot).shape().size(static_cast<std::size_t>(group.result_along));
  }

  InstructionId make_merged(const Group &group, const Rewriter &rewriter, ArrayBuilder &b) {
    std::vector<InstructionId> others;
    std::int64_t size = 0;
    for (InstructionId id : group.dots) {
      others.push_back(rewriter.current(module_.instruction(id).operands()[group.side]));
      size += width(group, id);
    }
    const Instruction first = module_.instruction(group.dots[0]);
    std::vector<InstructionId> operands(first.operands().begin(), first.operands().end());
    operands[group.side] = b.concatenate(others, static_cast<std::int64_t>(group.along));
    const InstructionId merged = module_.clone_instruction(first.parent().id(), first, operands, {});
    Shape shape = first.shape();
    shape.set_size(static_cast<std::size_t>(group.result_along), size);
    module_.set_shape(merged, shape);
    return merged;
  }

  ir::Module &module_;
  const PassContext &context_;
  std::vector<std::uint32_t> position_;  // by instruction id: position in its computation
  std::unordered_map<InstructionId, std::shared_ptr<const Group>> groups_;  // by dot
};

}  // namespace

Result<bool> dot_merging(ir::Module &module, const PassContext &context) {
  return Merger(module, context).run();
}

}  // namespace bp::passes
