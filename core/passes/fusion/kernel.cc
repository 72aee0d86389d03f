// Accesses are determined backwards: roots are read at the indices walked over, and each instruction determines where
// its operands are read from where it is read itself.
#include "core/passes/fusion/kernel.h"

#include <algorithm>
#include <unordered_map>

#include "core/analysis/index_map.h"
#include "core/passes/fusion/fusion_builder.h"
#include "core/passes/rewrite.h"

namespace bp::passes {
namespace {

using ir::Instruction;
using ir::InstructionId;
using ir::Opcode;
using ir::Shape;
using Kind = Access::Kind;

bool is_array_reduce(const Instruction &instruction) {
  return instruction.opcode() == Opcode::Reduce && instruction.operand_count() >= 2;
}

class KernelDescription {
 public:
  explicit KernelDescription(const Instruction &instruction) : instruction_(instruction) {}

  std::optional<Kernel> describe() {
    kernel_.size = fused_size(instruction_);
    if (instruction_.opcode() == Opcode::Fusion) {
      const auto kind = instruction_.enumerator(ir::AttributeKey::Kind, ir::FusionKind::Loop);
      if (kind != ir::FusionKind::Loop && kind != ir::FusionKind::Input) {
        return std::nullopt;
      }
      ir::Computation fused = instruction_.called(0);
      const Instruction root = fused.root();
      const std::vector<InstructionId> roots =
          root.opcode() == Opcode::Tuple ? std::vector<InstructionId>(root.operands().begin(), root.operands().end())
                                         : std::vector<InstructionId>{root.id()};
      const bool has_tuples = root.opcode() == Opcode::Tuple && std::ranges::any_of(roots, [&](InstructionId id) {
                                return root.module().instruction(id).shape().is_tuple();
                              });
      if (has_tuples) {
        return std::nullopt;
      }
      for (InstructionId id : roots) {
        if (!add_root(root.module().instruction(id))) {
          return std::nullopt;
        }
      }
      auto order = fused.instruction_ids();
      for (std::size_t i = order.size(); i-- > 0;) {
        const Instruction inner = root.module().instruction(order[i]);
        if (inner.opcode() != Opcode::Parameter && inner.opcode() != Opcode::Tuple && !visit(inner)) {
          return std::nullopt;
        }
      }
      for (InstructionId parameter : fused.parameter_ids()) {
        kernel_.operands.push_back(accesses_[parameter]);
      }
      return std::move(kernel_);
    }
    if (!add_root(instruction_)) {
      return std::nullopt;
    }
    visit(instruction_);
    for (InstructionId operand : instruction_.operands()) {
      kernel_.operands.push_back(accesses_[operand]);
    }
    return std::move(kernel_);
  }

 private:
  // Takes the shape walked over from a root; returns false if it differs from that of other roots.
  bool add_root(const Instruction &root) {
    Instruction source = root;
    if (root.opcode() == Opcode::GetTupleElement) {
      source = root.operand(0);
    }
    if (is_array_reduce(source)) {
      return add_reduce(source, root.shape().is_tuple() ? root.shape().elements().size() : 1);
    }
    const bool is_renaming = source.opcode() == Opcode::Reshape && source.id() == instruction_.id();
    if (!has_plain_shape(source) || !(is_elementwise(source) || is_renaming)) {
      return false;
    }
    kernel_.is_per_row.push_back(false);
    want(root.id(), {Kind::SameIndex, {}});
    return walk_over(source.shape().sizes());
  }

  bool add_reduce(const Instruction &reduce, std::size_t results) {
    const Instruction operand = reduce.operand(0);
    auto dimensions = reduce.numbers(ir::AttributeKey::Dimensions);
    std::vector<std::int64_t> reduced(dimensions.begin(), dimensions.end());
    std::ranges::sort(reduced);
    const bool is_first = kernel_.reduced.empty();
    if (!has_plain_shape(operand) || reduced.empty() || (!is_first && kernel_.reduced != reduced)) {
      return false;
    }
    kernel_.reduced = reduced;
    kernel_.is_per_row.insert(kernel_.is_per_row.end(), results, true);
    if (std::ranges::find(roots_, reduce.id()) == roots_.end()) {
      roots_.push_back(reduce.id());
      ++kernel_.reductions;
    }
    return walk_over(operand.shape().sizes());
  }

  bool walk_over(std::span<const std::int64_t> sizes) {
    if (walks_) {
      return std::ranges::equal(kernel_.sizes, sizes);
    }
    kernel_.sizes.assign(sizes.begin(), sizes.end());
    walks_ = true;
    return true;
  }

  bool is_walked(const Instruction &instruction) const {
    return std::ranges::equal(instruction.shape().sizes(), kernel_.sizes);
  }

  // Records where an instruction is read.
  void want(InstructionId id, const Access &access) {
    auto [found, is_new] = accesses_.emplace(id, access);
    if (!is_new && found->second != access) {
      found->second = found->second.kind == Kind::None ? access : Access{Kind::OtherIndex, {}};
    }
  }

  // Records where an instruction reads its operands. Returns false if it cannot be part of a kernel.
  bool visit(const Instruction &instruction) {
    const Access access = accesses_[instruction.id()];
    if (is_array_reduce(instruction)) {
      if (std::ranges::find(roots_, instruction.id()) == roots_.end()) {
        return false;
      }
      for (std::size_t i = 0; i < instruction.operand_count(); ++i) {
        want(instruction.operands()[i],
             i < instruction.operand_count() / 2 ? Access{Kind::SameIndex, {}} : Access{Kind::PerRow, {}});
      }
      return true;
    }
    if (instruction.opcode() == Opcode::GetTupleElement) {
      return is_array_reduce(instruction.operand(0));
    }
    for (std::size_t i = 0; i < instruction.operand_count(); ++i) {
      want(instruction.operands()[i], through(instruction, i, access));
    }
    return true;
  }

  // Returns where operand i is read, from where the instruction is read.
  Access through(const Instruction &instruction, std::size_t i, const Access &access) const {
    const Shape &operand = instruction.operand(i).shape(), &shape = instruction.shape();
    if (is_elementwise(instruction)) {
      return operand.rank() == shape.rank() ? access : Access{Kind::PerRow, {}};
    }
    const analysis::IndexMap map = analysis::index_map(instruction, i);
    const bool is_reshape = instruction.opcode() == Opcode::Reshape;
    if ((!is_reshape && instruction.opcode() != Opcode::Broadcast) || !map.only_renames()) {
      return {Kind::OtherIndex, {}};
    }
    std::vector<std::int64_t> rows;
    for (const analysis::IndexExpression &e : map.dimensions) {
      if (e.size > 1) {
        rows.push_back(e.dimension);
      }
    }
    const bool keeps_order = std::ranges::is_sorted(rows);
    if (keeps_order && operand.element_count() == shape.element_count() &&
        (access.kind == Kind::PerRow || (is_reshape && instruction.id() == instruction_.id()))) {
      return access;
    }
    if (is_reshape) {
      return {Kind::OtherIndex, {}};
    }
    if (operand.element_count() == 1) {
      return {Kind::PerRow, {}};
    }
    const bool is_row = keeps_order && access.kind == Kind::SameIndex && is_walked(instruction);
    return is_row ? Access{Kind::PerRow, std::move(rows)} : Access{Kind::OtherIndex, {}};
  }

  Instruction instruction_;
  Kernel kernel_;
  bool walks_ = false;  // whether kernel_.sizes is known
  std::vector<InstructionId> roots_;
  std::unordered_map<InstructionId, Access> accesses_;
};

}  // namespace

bool is_cheap(Opcode opcode) {
  switch (opcode) {
    case Opcode::Abs:
    case Opcode::Add:
    case Opcode::Clamp:
    case Opcode::Compare:
    case Opcode::Convert:
    case Opcode::Maximum:
    case Opcode::Minimum:
    case Opcode::Multiply:
    case Opcode::Negate:
    case Opcode::Select:
    case Opcode::Subtract: return true;
    default: return false;
  }
}

std::size_t fused_size(const Instruction &instruction) {
  const auto counts = [](const Instruction &one) {
    const bool only_names = one.opcode() == Opcode::Parameter || one.opcode() == Opcode::Tuple;
    const bool is_number =
        is_scalar_constant(one) || (one.opcode() == Opcode::Broadcast && is_scalar_constant(one.operand(0)));
    return !only_names && !is_number;
  };
  if (instruction.opcode() != Opcode::Fusion) {
    return counts(instruction) ? 1 : 0;
  }
  // A nested fusion counts as one instruction: counting all levels would take exponential time where each level has the
  // next one twice.
  return static_cast<std::size_t>(std::ranges::count_if(instruction.called(0).instructions(), counts));
}

std::optional<Kernel> describe_kernel(const Instruction &instruction) {
  return KernelDescription(instruction).describe();
}

}  // namespace bp::passes
