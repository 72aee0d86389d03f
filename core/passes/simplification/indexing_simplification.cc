// Rules for gather, scatter and sort:
//   gather with one constant index vector   slice
//   gather with indices 0, 1, 2 ...         slice
//   gather from 0, 1, 2 ...                 the clamped indices
//   gather from equal elements              broadcast
//   scatter without updates                 the operand
//   sort along a dimension of size 1        the operands
//   sort of ascending numbers               the operand, if the comparator is "less"
//   sort of several arrays                  only those that are compared or used
#include <algorithm>

#include <limits>
#include <optional>

#include "core/analysis/constants.h"
#include "core/analysis/users.h"
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

// Returns the constant index vector, one component per dimension of the operand that it indexes.
std::vector<std::int64_t> constant_start(const Instruction &gather) {
  const Instruction indices = gather.operand(1);
  const std::size_t count = gather.numbers(AttributeKey::StartIndexMap).size();
  const bool is_one = indices.opcode() == Opcode::Constant &&
                      indices.shape().element_count() == static_cast<std::int64_t>(count) && count != 0;
  if (!is_one) {
    return {};
  }
  return ir::visit_element_type(indices.shape().element_type(), [&]<class T>() {
    std::vector<std::int64_t> starts;
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool> && !std::is_same_v<T, std::uint64_t>) {
      auto elements = indices.literal().elements<T>();
      starts.assign(elements.begin(), elements.end());
    }
    return starts;
  });
}

bool counts_without_wrapping(const Instruction &iota) {
  const std::int64_t size = iota.shape().size(static_cast<std::size_t>(iota.number(AttributeKey::IotaDimension)));
  const int bits = ir::bit_width(iota.shape().element_type()) - (ir::is_signed(iota.shape().element_type()) ? 1 : 0);
  return bits >= 63 || size <= std::int64_t{1} << bits;
}

// If the gather takes rows of the operand, one for each index in a vector (one dimension is indexed and collapsed, the
// others are taken whole), returns the indexed dimension; otherwise nothing.
std::optional<std::size_t> gathered_rows(const Instruction &gather) {
  const Shape &operand = gather.operand(0).shape(), &indices = gather.operand(1).shape();
  auto map = gather.numbers(AttributeKey::StartIndexMap);
  const std::int64_t vector = gather.number(AttributeKey::IndexVectorDim);
  const bool is_vector = indices.rank() == 1 ? vector == 1 : indices.rank() == 2 && vector == 1 && indices.size(1) == 1;
  if (!is_vector || map.size() != 1 || !gather.numbers(AttributeKey::OperandBatchingDims).empty() ||
      !std::ranges::equal(map, gather.numbers(AttributeKey::CollapsedSliceDims))) {
    return std::nullopt;
  }
  const auto row = static_cast<std::size_t>(map[0]);
  auto sizes = gather.numbers(AttributeKey::SliceSizes);
  for (std::size_t d = 0; d < operand.rank(); ++d) {
    if (sizes[d] != (d == row ? 1 : operand.size(d))) {
      return std::nullopt;
    }
  }
  return row;
}

// Whether the indices are 0, 1, 2 ... along the vector, without wrapping around.
bool is_counting(const Instruction &indices) {
  return indices.opcode() == Opcode::Iota && indices.number(AttributeKey::IotaDimension) == 0 &&
         ir::is_integer(indices.shape().element_type()) && counts_without_wrapping(indices);
}

InstructionId gather_in_order(ArrayBuilder &b, const Instruction &gather, std::size_t row) {
  const Shape operand = gather.operand(0).shape(), shape = gather.shape();
  const std::int64_t count = gather.operand(1).shape().size(0);
  auto offsets = gather.numbers(AttributeKey::OffsetDims);
  // The dimension of the indices takes the place of the indexed dimension: all other dimensions keep their order.
  const bool keeps_place = std::ranges::find(offsets, static_cast<std::int64_t>(row)) == offsets.end();
  return keeps_place && count <= operand.size(row) ? b.slice(gather.operands()[0], row, 0, count) : gather.id();
}

InstructionId gather_of_counting(ArrayBuilder &b, const Instruction &gather) {
  const Shape shape = gather.shape(), indices = gather.operand(1).shape();
  const ir::ElementType type = indices.element_type();
  const std::int64_t last = gather.operand(0).shape().size(0) - 1;
  if (!ir::is_signed(type) || !ir::is_integer(type) || ir::bit_width(type) < 32 ||
      last > std::numeric_limits<std::int32_t>::max() || !ir::is_integer(shape.element_type())) {
    return gather.id();
  }
  const InstructionId vector = b.ir::Builder::reshape(gather.operands()[1], shape.sizes());
  const InstructionId clamped =
      b.add(Opcode::Clamp, {b.constant(type, 0), vector, b.constant(type, static_cast<double>(last))});
  return b.cast(clamped, shape.element_type());
}

InstructionId simplify_gather(ir::Module &module, const Instruction &gather) {
  const Instruction operand = gather.operand(0);
  if (!is_plain(gather) || gather.shape().element_count() == 0) {
    return gather.id();
  }
  const Shape shape = gather.shape();
  ArrayBuilder b(module, gather);
  if (is_repeated_scalar(operand)) {
    return b.broadcast(operand.operands()[0], shape);
  }
  if (const auto row = gathered_rows(gather)) {
    if (is_counting(gather.operand(1))) {
      return gather_in_order(b, gather, *row);
    }
    if (operand.shape().rank() == 1 && is_counting(operand)) {
      return gather_of_counting(b, gather);
    }
  }
  const std::vector<std::int64_t> starts = constant_start(gather);
  if (starts.empty() || !gather.numbers(AttributeKey::OperandBatchingDims).empty()) {
    return gather.id();
  }
  std::vector<ir::SliceRange> ranges;
  auto sizes = gather.numbers(AttributeKey::SliceSizes);
  for (std::int64_t size : sizes) {
    ranges.push_back({0, size, 1});
  }
  auto map = gather.numbers(AttributeKey::StartIndexMap);
  for (std::size_t i = 0; i < map.size(); ++i) {
    ir::SliceRange &range = ranges[static_cast<std::size_t>(map[i])];
    const std::int64_t last = operand.shape().size(static_cast<std::size_t>(map[i])) - range.limit;
    const std::int64_t start = std::clamp<std::int64_t>(starts[i], 0, last);
    range = {start, start + range.limit, 1};
  }
  // A slice keeps the order of dimensions: collapsed dimensions and those of the indices have size 1.
  const InstructionId slice =
      b.add(Opcode::Slice, {operand.id()}, [&](ir::Module &m, InstructionId id) { m.set_slice_ranges(id, ranges); });
  return b.ir::Builder::reshape(slice, shape.sizes());
}

InstructionId simplify_scatter(const Instruction &scatter) {
  const bool is_idle = scatter.operand_count() == 3 && scatter.operand(2).shape().element_count() == 0 &&
                       scatter.operand(0).shape() == scatter.shape();
  return is_idle ? scatter.operands()[0] : scatter.id();
}

// Whether the comparator is "less" on integers, which are equal if neither is less than the other.
bool compares_integers_ascending(const ir::Computation &comparator) {
  const Instruction root = comparator.root();
  return root.opcode() == Opcode::Compare && ir::is_integer(root.operand(0).shape().element_type()) &&
         root.operand(0).opcode() == Opcode::Parameter && root.operand(0).parameter_number() == 0 &&
         root.operand(1).opcode() == Opcode::Parameter && root.operand(1).parameter_number() == 1 &&
         root.enumerator(AttributeKey::Direction, ir::ComparisonDirection::Eq) == ir::ComparisonDirection::Lt;
}

class SortSimplifier {
 public:
  SortSimplifier(ir::Module &module, const analysis::Users &users) : module_(module), users_(users) {}

  InstructionId run(const Instruction &sort) {
    const auto dimension = static_cast<std::size_t>(sort.dimensions()[0]);
    ArrayBuilder b(module_, sort);
    if (sort.operand(0).shape().size(dimension) <= 1) {
      if (!sort.shape().is_tuple()) {
        return b.with_layout(sort.operands()[0], sort.shape().layout());
      }
      std::vector<InstructionId> elements(sort.operands().begin(), sort.operands().end());
      for (std::size_t i = 0; i < elements.size(); ++i) {
        elements[i] = b.with_layout(elements[i], sort.shape().elements()[i].layout());
      }
      return b.tuple(elements);
    }
    if (!sort.shape().is_tuple()) {
      const Instruction operand = sort.operand(0);
      const bool is_ascending = operand.opcode() == Opcode::Iota && is_plain(sort) &&
                                operand.number(AttributeKey::IotaDimension) == sort.dimensions()[0] &&
                                compares_integers_ascending(sort.called(0)) && counts_without_wrapping(operand);
      return is_ascending ? b.with_layout(operand.id(), sort.shape().layout()) : sort.id();
    }
    return without_unused(sort, b);
  }

 private:
  // Returns which arrays are compared or have a result with users.
  std::vector<bool> find_used(const Instruction &sort) const {
    const std::size_t count = sort.operand_count();
    std::vector<bool> used(count, sort.parent().root() == sort);
    for (InstructionId id : users_.of(sort.id())) {
      const Instruction user = module_.instruction(id);
      if (user.opcode() != Opcode::GetTupleElement) {
        return std::vector(count, true);
      }
      used[static_cast<std::size_t>(user.tuple_index())] = true;
    }
    const ir::Computation comparator = sort.called(0);
    for (std::size_t i = 0; i < 2 * count; ++i) {
      used[i / 2] =
          used[i / 2] || users_.is_used(comparator.parameter_ids()[i]) || comparator.root() == comparator.parameter(i);
    }
    return used;
  }

  InstructionId without_unused(const Instruction &sort, ArrayBuilder &b) {
    const std::vector<bool> used = find_used(sort);
    const auto kept = static_cast<std::size_t>(std::ranges::count(used, true));
    if (kept == used.size() || kept == 0) {
      return sort.id();
    }
    // Builds the comparator with fewer parameters.
    const ir::Computation old = sort.called(0);
    const ir::ComputationId comparator = module_.add_computation(std::string(old.name()));
    std::vector<InstructionId> parameters(2 * used.size(), ir::no_instruction), operands;
    for (std::size_t i = 0, number = 0; i < parameters.size(); ++i) {
      if (used[i / 2]) {
        const Shape shape = old.parameter(i).shape();
        const std::string name(old.parameter(i).name());
        parameters[i] = module_.add_parameter(comparator, static_cast<std::int64_t>(number++), shape, name);
      }
      if (used[i / 2] && i % 2 == 0) {
        operands.push_back(sort.operands()[i / 2]);
      }
    }
    module_.set_root(comparator, copy_body(module_, old.id(), comparator, parameters));
    const std::array calls{comparator};
    std::vector<Shape> shapes;
    for (InstructionId id : operands) {
      shapes.push_back(b.shape(id));
    }
    const InstructionId smaller = module_.clone_instruction(sort.parent().id(), sort, operands, calls);
    module_.set_shape(smaller, kept == 1 ? shapes[0] : Shape::tuple(shapes));
    // Builds a tuple like the old result; unused elements have any value.
    std::vector<InstructionId> elements;
    for (std::size_t i = 0, at = 0; i < used.size(); ++i) {
      elements.push_back(!used[i]    ? sort.operands()[i]
                         : kept == 1 ? smaller
                                     : b.get_tuple_element(smaller, static_cast<std::int64_t>(at++)));
    }
    return b.tuple(elements);
  }

  ir::Module &module_;
  const analysis::Users &users_;
};

}  // namespace

Result<bool> indexing_simplification(ir::Module &module, const PassContext &) {
  const analysis::Users users(module);
  return rewrite_outside_fusions(module, [&](Instruction instruction) -> Result<InstructionId> {
    switch (instruction.opcode()) {
      case Opcode::Gather: return simplify_gather(module, instruction);
      case Opcode::Scatter: return simplify_scatter(instruction);
      case Opcode::Sort:
        return instruction.shape().is_static() ? SortSimplifier(module, users).run(instruction) : instruction.id();
      default: return instruction.id();
    }
  });
}

}  // namespace bp::passes
