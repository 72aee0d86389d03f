#include "core/passes/layout/layout_groups.h"

#include <algorithm>
#include <numeric>

#include "core/passes/rewrite.h"

namespace bp::passes {
namespace {

using ir::Instruction;
using ir::InstructionId;
using ir::Opcode;
using ir::Shape;

void append_arrays(const Shape &shape, std::vector<const Shape *> &arrays) {
  if (shape.is_array()) {
    arrays.push_back(&shape);
  }
  for (const Shape &element : shape.elements()) {
    append_arrays(element, arrays);
  }
}

// Returns the number of leading operands that the op walks through together with its results, dimension by dimension.
// Besides elementwise ops, these are ops that move data within an array.
std::size_t count_walked_operands(Instruction i) {
  switch (i.opcode()) {
    case Opcode::Slice:
    case Opcode::DynamicSlice:
    case Opcode::Pad:
    case Opcode::Reverse:
    case Opcode::SelectAndScatter: return 1;
    case Opcode::DynamicUpdateSlice: return 2;
    case Opcode::Concatenate:
    case Opcode::Sort: return i.operand_count();
    case Opcode::ReduceWindow: return i.operand_count() / 2;
    case Opcode::Scatter: return (i.operand_count() - 1) / 2;
    default: return i.is(ir::Trait::Elementwise) ? i.operand_count() : 0;
  }
}

}  // namespace

std::vector<const Shape *> arrays_of(const Shape &shape) {
  std::vector<const Shape *> arrays;
  append_arrays(shape, arrays);
  return arrays;
}

std::optional<ir::Layout> layout_through_reshape(const Shape &from, const Shape &to) {
  if (from.element_count() == 0 || !from.layout().tiles.empty() || !to.layout().tiles.empty()) {
    return {};
  }
  const std::vector<AlignedDimensions> aligned = aligned_dimensions(from.sizes(), to.sizes());
  std::vector<std::size_t> place(from.rank());  // by dimension of `from`: its index in `aligned`
  ir::Dimensions order;                         // of `to`, the major one first
  for (std::size_t i = 0; i < aligned.size(); ++i) {
    std::fill(place.begin() + static_cast<std::ptrdiff_t>(aligned[i].from_begin),
              place.begin() + static_cast<std::ptrdiff_t>(aligned[i].from_end), i);
    if (aligned[i].from_begin == aligned[i].from_end) {  // of size 1
      for (std::size_t d = aligned[i].to_begin; d < aligned[i].to_end; ++d) {
        order.push_back(static_cast<std::int64_t>(d));
      }
    }
  }
  const ir::Dimensions &minor_to_major = from.layout().minor_to_major;
  for (std::size_t at = from.rank(); at > 0;) {
    // Dimensions that are joined or split together must be neighbours, in their order.
    const AlignedDimensions &dimensions = aligned[place[static_cast<std::size_t>(minor_to_major[at - 1])]];
    for (std::size_t d = dimensions.from_begin; d < dimensions.from_end; ++d, --at) {
      if (at == 0 || minor_to_major[at - 1] != static_cast<std::int64_t>(d)) {
        return {};
      }
    }
    for (std::size_t d = dimensions.to_begin; d < dimensions.to_end; ++d) {
      order.push_back(static_cast<std::int64_t>(d));
    }
  }
  ir::Layout layout = to.layout();
  layout.minor_to_major.assign(order.rbegin(), order.rend());
  return layout;
}

bool moves_nothing(const Shape &from, const Shape &to) {
  const auto layout = layout_through_reshape(from, to);
  return layout && layout->minor_to_major == to.layout().minor_to_major;
}

LayoutGroups::LayoutGroups(const ir::Module &module, const analysis::CallGraph &graph) : module_(module) {
  first_.resize(module.instruction_id_limit() + 1);
  for (ir::Computation computation : module.computations()) {
    for (Instruction i : computation.instructions()) {
      first_[index(i.id()) + 1] = static_cast<ArrayId>(arrays_of(i.shape()).size());
    }
  }
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  parents_.resize(first_.back());
  std::iota(parents_.begin(), parents_.end(), ArrayId{0});
  to_parent_.resize(parents_.size());
  for (ir::ComputationId id : graph.callees_first()) {
    if (graph.context(id) == analysis::CallContext::Control) {
      for (Instruction i : module.computation(id).instructions()) {
        join_arrays_of(i);
      }
    }
  }
}

void LayoutGroups::join_arrays_of(Instruction i) {
  const InstructionId id = i.id();
  switch (i.opcode()) {
    case Opcode::Tuple:
      for (std::size_t operand = 0, at = 0; operand < i.operand_count(); ++operand) {
        const InstructionId element = i.operands()[operand];
        join_values(id, at, element, 0, array_count(element));
        at += array_count(element);
      }
      return;
    case Opcode::GetTupleElement: {
      std::size_t at = 0;
      for (std::size_t element = 0; element < static_cast<std::size_t>(i.tuple_index()); ++element) {
        at += arrays_of(i.operand(0).shape().elements()[element]).size();
      }
      join_values(id, 0, i.operands()[0], at, array_count(id));
      return;
    }
    case Opcode::AddDependency:
    case Opcode::OptimizationBarrier:
    case Opcode::Domain: join_whole(id, i.operands()[0]); return;
    case Opcode::While:
      join_whole(id, i.operands()[0]);
      for (ir::ComputationId callee : i.calls()) {
        join_whole(id, module_.computation(callee).parameter_ids()[0]);
      }
      join_whole(id, module_.computation(i.calls()[1]).root().id());  // of the body
      return;
    case Opcode::Conditional:
      for (std::size_t branch = 0; branch < i.calls().size(); ++branch) {
        const ir::Computation callee = module_.computation(i.calls()[branch]);
        join_whole(i.operands()[branch + 1], callee.parameter_ids()[0]);
        join_whole(id, callee.root().id());
      }
      return;
    case Opcode::Call: {
      const ir::Computation callee = module_.computation(i.calls()[0]);
      for (std::size_t operand = 0; operand < i.operand_count(); ++operand) {
        join_whole(i.operands()[operand], callee.parameter_ids()[operand]);
      }
      join_whole(id, callee.root().id());
      return;
    }
    case Opcode::Transpose:
      join(array(id), array(i.operands()[0]), Permutation(i.dimensions().begin(), i.dimensions().end()));
      return;
    case Opcode::Copy: return;  // it may exist to change the layout
    default: break;
  }
  for (std::size_t operand = 0, count = count_walked_operands(i); operand < count; ++operand) {
    if (i.operand(operand).shape().is_array() && i.shape().is_array() &&
        i.operand(operand).shape().rank() == i.shape().rank()) {
      join(array(id), array(i.operands()[operand]));
    } else if (i.shape().is_tuple() && operand < array_count(id)) {
      join(array(id, operand), array(i.operands()[operand]));
    }
  }
}

void LayoutGroups::join_values(InstructionId a, std::size_t first_a, InstructionId b, std::size_t first_b,
                               std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    join(array(a, first_a + i), array(b, first_b + i));
  }
}

namespace {

// Composes two permutations of dimensions; an empty one is the identity.
std::vector<std::int64_t> then(const std::vector<std::int64_t> &first, const std::vector<std::int64_t> &second) {
  if (first.empty() || second.empty()) {
    return first.empty() ? second : first;
  }
  std::vector<std::int64_t> result;
  for (std::int64_t dimension : first) {
    result.push_back(second[static_cast<std::size_t>(dimension)]);
  }
  return result;
}

std::vector<std::int64_t> inverse(const std::vector<std::int64_t> &permutation) {
  std::vector<std::int64_t> result(permutation.size());
  for (std::size_t i = 0; i < permutation.size(); ++i) {
    result[static_cast<std::size_t>(permutation[i])] = static_cast<std::int64_t>(i);
  }
  return result;
}

ir::Layout mapped(ir::Layout layout, const std::vector<std::int64_t> &permutation) {
  if (!permutation.empty()) {
    for (std::int64_t &dimension : layout.minor_to_major) {
      dimension = permutation[static_cast<std::size_t>(dimension)];
    }
  }
  return layout;
}

}  // namespace

ArrayId LayoutGroups::group_of(ArrayId array) {
  std::vector<ArrayId> path;
  while (parents_[array] != array) {
    path.push_back(array);
    array = parents_[array];
  }
  // From the root down, so that each parent's permutation to the root is complete before its children need it.
  for (std::size_t i = path.size(); i-- > 0;) {
    const ArrayId parent = parents_[path[i]];
    if (parent != array) {
      to_parent_[path[i]] = then(to_parent_[path[i]], to_parent_[parent]);
      parents_[path[i]] = array;
    }
  }
  return array;
}

void LayoutGroups::join(ArrayId a, ArrayId b, const Permutation &a_to_b) {
  const ArrayId group_a = group_of(a), group_b = group_of(b);
  if (group_a != group_b) {
    // From the root of a down to a, to b, and up to the root of b. Joined groups differ by this one permutation.
    to_parent_[group_a] = then(then(inverse(group_a == a ? Permutation() : to_parent_[a]), a_to_b),
                               group_b == b ? Permutation() : to_parent_[b]);
    parents_[group_a] = group_b;
  }
}

ir::Layout LayoutGroups::to_group(ArrayId array, ir::Layout layout) {
  const bool is_root = group_of(array) == array;
  return is_root ? layout : mapped(std::move(layout), to_parent_[array]);
}

ir::Layout LayoutGroups::from_group(ArrayId array, ir::Layout layout) {
  const bool is_root = group_of(array) == array;
  return is_root ? layout : mapped(std::move(layout), inverse(to_parent_[array]));
}

}  // namespace bp::passes
